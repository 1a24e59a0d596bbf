package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// podType is the type of Pods.
var podType = stuck.Type{Version: "v1", Resource: "pods", SingularName: "pod", Kind: "Pod", Namespaced: true, Listable: true}

// unreadError says that something could not be read on which the decision depends.
type unreadError struct{ text string }

func (e unreadError) Error() string { return e.text }

// errActive says that Pods of a namespace run.
var errActive = errors.New("it has active Pods")

// softExpiry is when a namespace expires that no Pod has used for some time.
func softExpiry(ctx context.Context, source cluster.Source, value string, m metav1.ObjectMeta) (time.Time, error) {
	ttl, err := time.ParseDuration(value)
	if err := positive(ttl, err); err != nil {
		return time.Time{}, err
	}
	idle, err := idleSince(ctx, source, m)
	if err != nil {
		return time.Time{}, err
	}
	active, _, err := otherTime(m, openshiftActive)
	if err != nil {
		return time.Time{}, err
	}
	return notBefore(latest(idle, active).Add(ttl), m.CreationTimestamp.Time), nil
}

// idleSince is when the last Pod of a namespace ended. Pods with the label of the controller do not count.
func idleSince(ctx context.Context, source cluster.Source, m metav1.ObjectMeta) (time.Time, error) {
	var last time.Time
	var failure error
	pods := 0
	err := source.List(ctx, podType, cluster.Selection{Namespace: m.Name, Labels: "!ci.openshift.io/ttl.ignore"}, func(u unstructured.Unstructured) {
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &pod); err != nil {
			failure = err
			return
		}
		pods++
		if pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			failure = errActive
		}
		last = latest(last, podEnd(pod))
	})
	switch {
	case err != nil:
		return last, unreadError{fmt.Sprintf("its Pods could not be read: %s", apitext.ErrorMessage(err))}
	case failure != nil:
		return last, failure
	case pods == 0:
		return m.CreationTimestamp.Time, nil
	case last.IsZero():
		return last, errors.New("it is not known when its last Pod ended")
	}
	return last, nil
}

// podEnd is when the last container of a Pod ended, or the Pod was deleted.
func podEnd(pod corev1.Pod) (end time.Time) {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Terminated != nil {
			end = latest(end, status.State.Terminated.FinishedAt.Time)
		}
	}
	if pod.DeletionTimestamp != nil {
		end = latest(end, pod.DeletionTimestamp.Time)
	}
	return end
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
