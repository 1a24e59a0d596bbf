package knative

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	groupKnative = "messaging.knative.dev"
	// finalizerSubscription is that of a Subscription (knative/eventing
	// pkg/client/injection/reconciler/messaging/v1/subscription).
	finalizerSubscription = "subscriptions.messaging.knative.dev"
)

// ChannelNotReady is the cause of a Subscription that cannot be removed from its
// Channel.
var ChannelNotReady = kit.Cause{
	ID:    "knative-channel-not-ready",
	Title: "The Channel of the Knative Subscription is not ready",
	Doc: kit.Doc{
		Symptoms: "A Subscription of `messaging.knative.dev` has the finalizer `subscriptions.messaging.knative.dev`, and the Channel in its `spec.channel` exists but is not Ready. An event `InternalError` on the Subscription says `channel is not ready.`",
		Why:      "Knative removes the subscriber from the implementation of the Channel, for example an InMemoryChannel or a KafkaChannel. Knative does not look for the implementation while the Channel is not ready (getChannel in knative/eventing pkg/reconciler/subscription/subscription.go). The implementation was uninstalled first, or its broker is down.",
		Fix:      "Fix what the conditions of the Channel report. If you no longer need the Channel, delete it: Knative finishes the deletion of the Subscription once the Channel is deleted.",
		IfForced: "The subscriber is left behind in the Channel. Once the Channel is ready, the Channel sends events to the subscriber.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is(groupKnative, "Subscription") && o.Deleting() && o.HasFinalizer(finalizerSubscription)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		subscription, ok := cluster.ReadObject[Subscription](view, o)
		if !ok {
			return nil
		}
		ref := subscription.Spec.Channel
		kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
		t, served := view.TypeForKind(kind)
		// Only the Channel that stands for another has to be ready.
		if !served || kind != (schema.GroupKind{Group: groupKnative, Kind: "Channel"}) || !kit.IsValidName(ref.Name) || ref.Namespace != "" && ref.Namespace != o.Namespace {
			return nil
		}
		channel := cluster.Read[Channel](view, t, o.Namespace, ref.Name)
		if !channel.Found() {
			return nil
		}
		i := slices.IndexFunc(channel.Value.Status.Conditions, func(c cluster.Condition) bool { return c.Type == "Ready" })
		ready := i >= 0 && channel.Value.Status.Conditions[i].Status == "True"
		if ready && channel.Value.Status.Channel != nil {
			return nil
		}
		f := channelFinding(o, stuck.ObjectOf(t, channel.Value.ObjectMeta))
		if i >= 0 && !ready {
			c := channel.Value.Status.Conditions[i]
			f.Evidence = slices.Insert(f.Evidence, 0, fmt.Sprintf("condition Ready of the channel is %s (%s): %s", c.Status, c.Reason, apitext.Shorten(c.Message)))
		}
		f.Evidence = append(f.Evidence, kit.WarningEvents(view, o, o.DeletionTime, "InternalError")...)
		return []stuck.Finding{f}
	},
}

func channelFinding(o, channel stuck.Object) stuck.Finding {
	f := stuck.Finding{
		Message:   channel.RefInNamespace() + " is not ready",
		BlockedBy: channel.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{finalizerSubscription},
		Evidence:  []string{"Knative removes a subscriber from a channel only while the channel is ready"},
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see why the channel is not ready",
			Command:     stuck.Kubectlf(o.Namespace, "get %s -o jsonpath='{.status.conditions}'", channel.Ref()),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: "the subscriber is left behind in " + channel.Ref() + ", which sends events to it once it is ready"},
	}
	if channel.Deleting() {
		f.Verdict, f.WaitsFor = "", []stuck.Object{channel}
		f.Steps = nil
		return f
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "delete the channel, only if nothing needs it",
		Command:     stuck.Kubectlf(o.Namespace, "delete %s --wait=false", channel.Ref()),
	})
	return f
}
