package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// objectMeta is what tools put on the objects of an application.
func objectMeta(name string, finalizers []string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Finalizers: finalizers,
		Labels: map[string]string{
			"app.kubernetes.io/name": "shop", "app.kubernetes.io/instance": name, "app.kubernetes.io/component": "backend",
			"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "shop-1.2.3",
		},
		Annotations: map[string]string{
			"meta.helm.sh/release-name": "shop", "checksum/config": strings.Repeat("0123456789abcdef", 4),
		},
	}
}

// pod is a Pod of the size that they have: its managedFields are most of its metadata.
func pod(name string, finalizers []string) *corev1.Pod {
	yes := true
	meta := objectMeta(name, finalizers)
	meta.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "app-5d59d67564", UID: types.UID("0f5c2f6e-8a3b-4c64-9d1e-000000000000"),
		Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	return &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{
		Containers: []corev1.Container{container("app", 8080), container("proxy", 8081)},
		Volumes: []corev1.Volume{
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "config"},
			}}},
		},
	}}
}

func container(name string, port int32) corev1.Container {
	probe := &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(port)}},
		PeriodSeconds: 10,
	}
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")}
	return corev1.Container{
		Name: name, Image: "registry.example.com/shop/" + name + ":1.2.3",
		Args: []string{"--listen=:8080", "--log-level=info"},
		Env: []corev1.EnvVar{
			{Name: "REGION", Value: "eu-west-1"},
			{Name: "STAGE", Value: "production"},
			{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
		},
		Ports:         []corev1.ContainerPort{{Name: "http-" + name, ContainerPort: port}},
		Resources:     corev1.ResourceRequirements{Requests: size, Limits: size},
		LivenessProbe: probe, ReadinessProbe: probe,
		VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}, {Name: "config", MountPath: "/etc/app"}},
	}
}

func configMap(name string, finalizers []string) *corev1.ConfigMap {
	data := map[string]string{}
	for i := range 8 {
		data[fmt.Sprintf("setting-%d.conf", i)] = strings.Repeat("key = value\n", 12)
	}
	return &corev1.ConfigMap{ObjectMeta: objectMeta(name, finalizers), Data: data}
}

func custom(kind int, name string, finalizers []string) *unstructured.Unstructured {
	meta := objectMeta(name, finalizers)
	spec := map[string]any{}
	for i := range 12 {
		spec[fmt.Sprintf("field%d", i)] = fmt.Sprintf("value-%d", i)
	}
	o := object(map[string]any{"apiVersion": groupOf(kind) + "/v1", "kind": fmt.Sprintf("Widget%d", kind), "spec": spec})
	o.SetName(name)
	o.SetLabels(meta.Labels)
	o.SetAnnotations(meta.Annotations)
	o.SetFinalizers(finalizers)
	return o
}

// definition is a CustomResourceDefinition.
func definition(i int) *unstructured.Unstructured {
	gvr := customType(i)
	return object(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": gvr.Resource + "." + gvr.Group},
		"spec": map[string]any{
			"group": gvr.Group, "scope": "Namespaced",
			"names": map[string]any{"plural": gvr.Resource, "singular": strings.TrimSuffix(gvr.Resource, "s"), "kind": fmt.Sprintf("Widget%d", i)},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				}},
			}},
		},
	})
}
