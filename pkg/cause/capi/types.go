package capi

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CAPIObject is what is read of an object of Cluster API, a Cluster or a Machine for
// example (kubernetes-sigs/cluster-api api/core).
type CAPIObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterName string `json:"clusterName"`
		Paused      bool   `json:"paused"`
		// What a Cluster or a Machine is made of.
		Infrastructure CAPIRef `json:"infrastructureRef"`
		ControlPlane   CAPIRef `json:"controlPlaneRef"`
		Bootstrap      struct {
			Config CAPIRef `json:"configRef"`
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

// CAPIRef names another object in the same namespace, by its group in v1beta2
// and by its apiVersion in v1beta1.
type CAPIRef struct {
	APIGroup   string `json:"apiGroup"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// GroupKind is the kind of the object.
func (r CAPIRef) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: cmp.Or(r.APIGroup, schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).Group), Kind: r.Kind}
}

// DeletingCondition is what the object's condition Deleting gives as its reason and says, as
// Cluster API 1.9 and later write it.
func (c CAPIObject) DeletingCondition() (reason, message string) {
	for _, conditions := range [][]cluster.Condition{c.Status.Conditions, c.Status.V1Beta2.Conditions} {
		for _, each := range conditions {
			if each.Type == "Deleting" && each.Status == "True" {
				return each.Reason, each.Message
			}
		}
	}
	return "", ""
}

// CAPIObject reads an object of Cluster API.
func ReadCAPIObject(v *cluster.View, t stuck.Type, namespace, name string) cluster.Answer[CAPIObject] {
	return cluster.ReadSimilar[CAPIObject](v, t, namespace, name)
}
