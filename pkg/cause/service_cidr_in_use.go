package cause

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	serviceCIDRType = stuck.Type{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Kind: "ServiceCIDR"}
	ipAddressType   = stuck.Type{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Kind: "IPAddress"}
)

// serviceAddresses selects the addresses that were allocated for Services: only those keep a
// ServiceCIDR (kubernetes/pkg/registry/core/service/ipallocator).
const serviceAddresses = networkingv1.LabelManagedBy + "=ipallocator.k8s.io"

// ServiceCIDRInUse blocks a ServiceCIDR while a Service has an address that no other
// ServiceCIDR contains.
var ServiceCIDRInUse = kit.Cause{
	ID:    "service-cidr-in-use",
	Title: "Services use addresses of the ServiceCIDR",
	Doc: kit.Doc{
		Symptoms: "The ServiceCIDR has the finalizer `networking.k8s.io/service-cidr-finalizer`, and the condition `Ready` is False with reason `Terminating`. The message of the condition is \"There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR\".",
		Why:      "kube-controller-manager keeps the ServiceCIDR while a Service has an address (an IPAddress object) in its ranges that no other ServiceCIDR contains. kube-controller-manager never changes the address of a Service.",
		Fix:      "Delete the Services that are named, or recreate them with an address of another ServiceCIDR. To keep them, create another ServiceCIDR that contains the same range.",
		IfForced: "The Services keep their addresses, which are then outside every known range. kube-apiserver reports each such address in events.",
	},
	Applies: kit.DeletingWith(kit.FinalizerServiceCIDR),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !o.Is("networking.k8s.io", "ServiceCIDR") {
			return nil
		}
		ranges := cluster.ReadList[networkingv1.ServiceCIDR](view, serviceCIDRType, cluster.Selection{})
		i := slices.IndexFunc(ranges.Items, func(c networkingv1.ServiceCIDR) bool { return c.UID == o.UID })
		if !ranges.Complete || i < 0 {
			return nil
		}
		others := slices.Delete(slices.Clone(ranges.Items), i, i+1)
		addresses := addressesOnlyIn(view, ranges.Items[i], others)
		if len(addresses) == 0 {
			return nil
		}
		return []stuck.Finding{serviceCIDRInUseFinding(view, ranges.Items[i], addresses)}
	},
}

// addressesOnlyIn are the addresses of Services that a ServiceCIDR contains and no other one
// does (canDeleteCIDR in kubernetes/pkg/controller/servicecidrs/servicecidrs_controller.go).
func addressesOnlyIn(view *cluster.View, c networkingv1.ServiceCIDR, others []networkingv1.ServiceCIDR) []networkingv1.IPAddress {
	if !slices.ContainsFunc(c.Spec.CIDRs, func(cidr string) bool { return !isWithinAnother(cidr, others) }) {
		return nil
	}
	all := cluster.ReadList[networkingv1.IPAddress](view, ipAddressType, cluster.Selection{Labels: serviceAddresses}).Items
	return slices.DeleteFunc(all, func(ip networkingv1.IPAddress) bool {
		address, err := netip.ParseAddr(ip.Name)
		inOther := slices.ContainsFunc(others, func(other networkingv1.ServiceCIDR) bool { return containsAddress(other, address) })
		return err != nil || ip.Spec.ParentRef == nil || !containsAddress(c, address) || inOther
	})
}

// isWithinAnother reports whether another ServiceCIDR contains a whole range.
func isWithinAnother(cidr string, others []networkingv1.ServiceCIDR) bool {
	prefix, err := netip.ParsePrefix(cidr)
	return err == nil && slices.ContainsFunc(others, func(other networkingv1.ServiceCIDR) bool {
		return slices.ContainsFunc(other.Spec.CIDRs, func(larger string) bool {
			p, err := netip.ParsePrefix(larger)
			return err == nil && p.Overlaps(prefix) && p.Bits() <= prefix.Bits()
		})
	})
}

// containsAddress reports whether Services can get an address from a ServiceCIDR: its first
// one is not given away, and the last one not in IPv4 (PrefixContainsIP in
// kubernetes/pkg/api/servicecidr/servicecidr.go).
func containsAddress(c networkingv1.ServiceCIDR, address netip.Addr) bool {
	return slices.ContainsFunc(c.Spec.CIDRs, func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && prefix.Contains(address) && address != prefix.Masked().Addr() &&
			(!address.Is4() || prefix.Contains(address.Next()))
	})
}

func serviceCIDRInUseFinding(view *cluster.View, c networkingv1.ServiceCIDR, addresses []networkingv1.IPAddress) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Likely,
		Explains:  []string{kit.FinalizerServiceCIDR},
		OnForce:   stuck.Cost{Leaves: stuck.LeakObjects, Description: "the Services keep their addresses, which no ServiceCIDR then contains"},
	}
	ready := apimeta.FindStatusCondition(c.Status.Conditions, networkingv1.ServiceCIDRConditionReady)
	if ready != nil && ready.Reason == networkingv1.ServiceCIDRReasonTerminating {
		f.Certainty = stuck.Confirmed
		f.Evidence = append(f.Evidence, fmt.Sprintf("condition Ready=%s (%s): %s", ready.Status, ready.Reason, ready.Message))
	}
	services := map[networkingv1.ParentReference]bool{}
	for i, ip := range addresses {
		parent := *ip.Spec.ParentRef
		if !services[parent] && len(services) < stuck.MaxUngrouped {
			addAddress(view, &f, ip, i == 0)
		}
		services[parent] = true
	}
	if more := len(services) - stuck.MaxUngrouped; more > 0 {
		f.Verdict = stuck.Blocked
		f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", more))
	}
	switch {
	case f.Verdict == stuck.Blocked:
		f.Steps = append([]stuck.Step{keepRangeStep(c)}, f.Steps...)
	case len(f.WaitsFor) == 0:
		f.Verdict = stuck.Progressing // kube-apiserver deletes what no Service has
	}
	f.Message = fmt.Sprintf("%d Services have addresses of the range", len(services))
	if len(services) == 1 {
		parent := addresses[0].Spec.ParentRef
		f.Message = fmt.Sprintf("service/%s%s has an address of the range", parent.Name, stuck.InNamespace(parent.Namespace))
	}
	return f
}

// addAddress adds to the finding whose an address is.
func addAddress(view *cluster.View, f *stuck.Finding, ip networkingv1.IPAddress, first bool) {
	parent := ip.Spec.ParentRef
	service := view.Metadata(cluster.ServiceType, parent.Namespace, parent.Name)
	name := "service/" + parent.Name + stuck.InNamespace(parent.Namespace)
	line := fmt.Sprintf("ipaddress/%s, which no other ServiceCIDR contains, is the address of %s", ip.Name, name)
	if first {
		f.BlockedBy = stuck.Culprit{Kind: "Service", Namespace: parent.Namespace, Name: parent.Name}
	}
	switch {
	case service.Absent():
		// kubernetes/pkg/registry/core/service/ipallocator/controller/repairip.go
		line += ", which does not exist: kube-apiserver deletes such an address after 60s"
	case service.Found() && service.Value.DeletionTimestamp != nil:
		f.WaitsFor = append(f.WaitsFor, stuck.ObjectOf(cluster.ServiceType, service.Value.ObjectMeta))
	default:
		f.Verdict = stuck.Blocked
	}
	f.Evidence = append(f.Evidence, line)
	if service.Found() && service.Value.DeletionTimestamp == nil {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionDelete,
			Description: fmt.Sprintf("delete %s, or recreate it with an address of another ServiceCIDR", name),
			Command:     stuck.Kubectlf(parent.Namespace, "delete service %s", parent.Name),
		})
	}
}

// keepRangeStep lets the ServiceCIDR be deleted and every Service keep its address.
func keepRangeStep(c networkingv1.ServiceCIDR) stuck.Step {
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "create another ServiceCIDR of the same range, if the Services are to keep their addresses",
		Command: stuck.Shellf(`printf %%s '{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":%q},"spec":{"cidrs":["%s"]}}' | kubectl create -f -`,
			c.Name+"-2", strings.Join(c.Spec.CIDRs, `","`)),
	}
}
