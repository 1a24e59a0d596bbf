package capi

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Object is what is read of an object of Cluster API, a Cluster or a Machine for
// example (kubernetes-sigs/cluster-api api/core).
type Object struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterName string `json:"clusterName"`
		// What a Cluster or a Machine is made of.
		Infrastructure Ref `json:"infrastructureRef"`
		ControlPlane   Ref `json:"controlPlaneRef"`
		Bootstrap      struct {
			Config Ref `json:"configRef"`
		} `json:"bootstrap"`
	} `json:"spec"`
	Status struct {
		NodeRef struct {
			Name string `json:"name"`
		} `json:"nodeRef"`
		Conditions []cluster.Condition `json:"conditions"`
		// V1Beta2 holds the conditions of today in the API of yesterday, v1beta1.
		V1Beta2 struct {
			Conditions []cluster.Condition `json:"conditions"`
		} `json:"v1beta2"`
	} `json:"status"`
}

// Ref names another object in the same namespace, by its group in v1beta2
// and by its apiVersion in v1beta1.
type Ref struct {
	APIGroup   string `json:"apiGroup"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// GroupKind is the kind of the object.
func (r Ref) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: cmp.Or(r.APIGroup, schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).Group), Kind: r.Kind}
}

// DeletingCondition is what the object's condition Deleting gives as its reason and says, as
// Cluster API 1.9 and later write it.
func (c Object) DeletingCondition() (reason, message string) {
	for _, conditions := range [][]cluster.Condition{c.Status.Conditions, c.Status.V1Beta2.Conditions} {
		for _, each := range conditions {
			if each.Type == "Deleting" && each.Status == "True" {
				return each.Reason, each.Message
			}
		}
	}
	return "", ""
}
