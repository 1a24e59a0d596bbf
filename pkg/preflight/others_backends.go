package preflight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// lostBackends are the APIServices, webhooks and conversion webhooks that are not deleted while
// what is behind them is, with the objects that cannot be deleted then.
func (s otherSearch) lostBackends(ctx context.Context) ([]Other, error) {
	if !slices.ContainsFunc(s.deleted.all, func(o stuck.Object) bool { return o.Is("", "Service") || o.Is("", "Pod") }) {
		return nil, nil
	}
	var out []Other
	if lost := s.lostAPIServices(); len(lost) > 0 {
		namespaces := slices.DeleteFunc(s.present.Objects("", cluster.NamespaceType).Items, func(o stuck.Object) bool { return s.deleted.uids[o.UID] })
		for _, f := range lost {
			other := newOther(f, namespaces)
			for _, api := range s.later.APIServices().Items {
				if api.Name == f.BlockedBy.Name {
					other.BackendNamespace = api.Spec.Service.Namespace
				}
			}
			out = append(out, other)
		}
	}
	for _, hook := range s.webhooksWithoutServer() {
		other, err := s.rejectedLater(ctx, hook)
		if err != nil {
			return nil, err
		}
		out = append(out, other)
	}
	conversions, err := s.lostConversions(ctx)
	return slices.DeleteFunc(append(out, conversions...), func(o Other) bool { return o.Count() == 0 }), err
}

// rejectedLater are the objects that a webhook keeps from being deleted when its server is deleted:
// it rejects their deletion, or the removal of their finalizers.
func (s otherSearch) rejectedLater(ctx context.Context, hook backend.Webhook) (Other, error) {
	var types []stuck.Type
	deletes, updates := map[string]bool{}, map[string]bool{}
	for _, t := range cluster.SurveyedTypes(s.types, "") {
		d, u := backend.MatchesType(hook, admissionv1.Delete, t), backend.MatchesType(hook, admissionv1.Update, t)
		if deletes[t.String()], updates[t.String()] = d, u; (d || u) && !t.IsEvent() {
			types = append(types, t)
		}
	}
	if len(types) == 0 || s.isDependent(hook) {
		return Other{}, nil
	}
	inNamespace := s.namespacesMatching(hook)
	objects, namespaces, err := s.count(ctx, types, labelsOf(hook.ObjectSelector), func(o stuck.Object) bool {
		return inNamespace(o) && (deletes[o.Type.String()] || updates[o.Type.String()] && len(o.Finalizers) > 0)
	})
	if err != nil || len(objects) == 0 || s.hasConditions(hook, objects[0].Name) {
		return Other{}, err
	}
	f, reason := webhookWithoutServer(hook), s.lossReason(*hook.Service)
	f.Cause, f.Message = cause.DeleteWebhookDown.ID, fmt.Sprintf("webhook %s rejects all deletions when %s", hook.Name, reason)
	if !slices.ContainsFunc(objects, func(t stuck.Tally) bool { return deletes[t.Name] }) {
		f.Cause, f.Message = cause.WriteWebhookDown.ID, fmt.Sprintf("webhook %s rejects all updates, such as the removal of a finalizer, when %s", hook.Name, reason)
	}
	return Other{Finding: f, Objects: objects, Namespaces: namespaces, BackendNamespace: hook.Service.Namespace}, nil
}

// isDependent reports whether the garbage collector deletes a configuration: all its owners are
// deleted.
func (s otherSearch) isDependent(hook backend.Webhook) bool {
	m := s.later.Metadata(hook.ConfigurationType, "", hook.ConfigurationName)
	return m.Found() && s.deleted.ownersDeleted(stuck.ObjectOf(hook.ConfigurationType, m.Value.ObjectMeta))
}

func labelsOf(selector *metav1.LabelSelector) string {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil || selector == nil {
		return ""
	}
	return parsed.String()
}

// namespacesMatching reports of an object whether its namespace has the labels that a webhook asks for. A
// Namespace is its own, and other objects without one always match.
func (s otherSearch) namespacesMatching(hook backend.Webhook) func(stuck.Object) bool {
	if hook.NamespaceSelector == nil || len(hook.NamespaceSelector.MatchLabels)+len(hook.NamespaceSelector.MatchExpressions) == 0 {
		return func(stuck.Object) bool { return true }
	}
	names := map[string]bool{}
	for _, o := range cluster.ReadList[corev1.Namespace](s.present, cluster.NamespaceType, cluster.Selection{Labels: labelsOf(hook.NamespaceSelector)}).Items {
		names[o.Name] = true
	}
	return func(o stuck.Object) bool {
		if o.IsNamespace() {
			return names[o.Name]
		}
		return o.Namespace == "" || names[o.Namespace]
	}
}

// count counts objects that are not deleted, by type, and keeps none of them.
func (s otherSearch) count(ctx context.Context, types []stuck.Type, labels string, matches func(stuck.Object) bool) ([]stuck.Tally, []string, error) {
	var mu sync.Mutex
	counts, namespaces := map[stuck.Tally]int{}, map[string]bool{}
	survey, err := cluster.SurveyRequest{Types: types, Selection: cluster.Selection{Labels: labels}, Keep: func(o stuck.Object) bool {
		if !s.deleted.uids[o.UID] && !s.deleted.ownersDeleted(o) && matches(o) {
			mu.Lock()
			defer mu.Unlock()
			counts[stuck.Tally{Name: o.Type.String(), Singular: o.Type.Singular()}]++
			namespaces[o.Namespace] = true
		}
		return false
	}}.Run(ctx, s.source)
	if err != nil {
		return nil, nil, err
	}
	s.present.AddGaps(survey.Gaps...)
	delete(namespaces, "")
	return sortedTallies(counts), slices.Sorted(maps.Keys(namespaces)), nil
}

// lostConversions are the CustomResourceDefinitions whose objects cannot be read when what converts
// them between versions is deleted.
func (s otherSearch) lostConversions(ctx context.Context) ([]Other, error) {
	var out []Other
	for _, crd := range cluster.ReadList[cluster.CRD](s.later, cluster.CustomResourceDefinitionType, cluster.Selection{}).Items {
		service := crd.Spec.Conversion.Webhook.ClientConfig.Service
		i := slices.IndexFunc(s.types, func(t stuck.Type) bool { return t.String() == crd.Name })
		if crd.Spec.Conversion.Strategy != "Webhook" || service == nil || i < 0 || crd.DeletionTimestamp != nil || !s.losesBackend(*service) {
			continue
		}
		t := s.types[i]
		other := slices.DeleteFunc(slices.Clone(crd.Status.StoredVersions), func(version string) bool { return version == t.Version })
		if len(other) == 0 {
			continue // nothing has to be converted
		}
		objects, namespaces, err := s.count(ctx, []stuck.Type{t}, "", func(stuck.Object) bool { return true })
		if err != nil {
			return nil, err
		}
		if len(objects) == 0 {
			continue
		}
		reason := s.lossReason(*service)
		if len(other) < len(crd.Status.StoredVersions) {
			s.present.AddGaps(stuck.Gap{
				Source: fmt.Sprintf("whether %s can be read when %s, and their conversion webhook is unreachable", t, reason),
				Error:  fmt.Sprintf("crd/%s says that objects may be stored in %s, and which of them are is not known", crd.Name, strings.Join(other, ", ")),
			})
			continue
		}
		out = append(out, Other{Finding: stuck.Finding{
			Cause: cause.CRDConversionWebhookDown.ID, BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: crd.Name},
			Certainty: stuck.Likely, Verdict: stuck.Blocked,
			Message:  fmt.Sprintf("%s cannot be listed when %s: the conversion webhook is unreachable", t, reason),
			Evidence: []string{fmt.Sprintf("crd/%s stores %s, is read in %s, and has no other conversion", crd.Name, strings.Join(other, ", "), t.Version)},
			Steps:    []stuck.Step{{Action: stuck.ActionDelete, Description: "delete these objects, or the CustomResourceDefinition, before the server of its conversion webhook"}},
		}, Objects: objects, Namespaces: namespaces, BackendNamespace: service.Namespace})
	}
	return out, nil
}
