package apitext_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// What Kubernetes 1.37.1 and 1.34.4 answer to lists.
func TestUnreadableSaid(t *testing.T) {
	for said, want := range map[string]apitext.Unreadable{
		"failed to read one or more configmaps from the storage: StorageError: corrupt object, Code: 7, Key: /registry/configmaps/shop/prices, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=305: proto: wrong wireType = 7 for field TypeMeta": {
			Keys: []string{"/registry/configmaps/shop/prices"}, Message: "proto: wrong wireType = 7 for field TypeMeta",
		},
		"StorageError: corrupt object, Code: 7, Key: /registry/secrets/shop/tls, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: no matching key was found for the provided AES transformer": {
			Keys: []string{"/registry/secrets/shop/tls"}, Encrypted: true, Message: "no matching key was found for the provided AES transformer",
		},
		`Internal error occurred: unable to transform key "/registry/secrets/shop/tls": identity transformer tried to read encrypted data`: {
			Keys: []string{"/registry/secrets/shop/tls"}, Encrypted: true, Message: "identity transformer tried to read encrypted data",
		},
		"storage is (re)initializing: failed to list example.com/v1, Kind=Menu: unexpected end of JSON input": {Message: "unexpected end of JSON input"},
		"proto: illegal wireType 7": {Message: "proto: illegal wireType 7"},
	} {
		got, ok := apitext.ParseUnreadable(said)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s (-want +got):\n%s", said, diff)
		}
	}
	for _, said := range []string{
		`StorageError: corrupt object, Code: 7, Key: /registry/a/b, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=256: conversion webhook for a/v1, Kind=B failed: Post "x": gone`,
		"the server is currently unable to handle the request",
	} {
		if got, ok := apitext.ParseUnreadable(said); ok {
			t.Errorf("%s is taken for %+v", said, got)
		}
	}
}

// The causes of an answer name every key, its text the first alone. What a
// client could not read is no word about storage.
func TestUnreadableIn(t *testing.T) {
	answer := &apierrors.StatusError{ErrStatus: metav1.Status{
		Message: "failed to read one or more secrets from the storage: StorageError: corrupt object, Code: 7, Key: /registry/secrets/a/b, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=1: proto: no (and 1 more)",
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "/registry/secrets/a/b"}, {Field: "/registry/secrets/a/c"}}},
	}}
	got, ok := apitext.ParseUnreadableError(answer)
	if diff := cmp.Diff([]string{"/registry/secrets/a/b", "/registry/secrets/a/c"}, got.Keys); !ok || diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, ok := apitext.ParseUnreadableError(errors.New("proto: illegal wireType 7")); ok {
		t.Errorf("the client's own error is taken for %+v", got)
	}
}

func TestKeyOf(t *testing.T) {
	if namespace, name := apitext.ParseEtcdKey(fakeapi.Pod, "/registry/services/specs/shop/web"); namespace != "shop" || name != "web" {
		t.Errorf("%s/%s", namespace, name)
	}
	if namespace, name := apitext.ParseEtcdKey(fakeapi.Pod, "web"); namespace != "" || name != "web" {
		t.Errorf("%s/%s", namespace, name)
	}
}

// A version of another group is no version of the type: such an object is damaged.
func TestRemovedVersion(t *testing.T) {
	const told = "failed to read one or more boats.harbor.example.com from the storage: StorageError: corrupt object, Code: 7, Key: /registry/harbor.example.com/boats/harbor/anna, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=1355: request to convert CR from an invalid group/version: "
	for said, want := range map[string]string{
		told + "harbor.example.com/v1alpha1":                                                                 "v1alpha1",
		told + "harbor.example.com/v1alpha1 (and 2 more)":                                                    "v1alpha1",
		"request to convert CR from an invalid group/version: harbor.example.com/v1":                         "v1",
		told + "shop.example.com/v1":                                                                         "",
		"request to convert CR to an invalid group/version: harbor.example.com/v1":                           "",
		"failed to read one or more boats.harbor.example.com from the storage: unexpected end of JSON input": "",
	} {
		got, ok := apitext.ParseRemovedVersion(errors.New(said), "harbor.example.com")
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", said, got, ok, want)
		}
	}
	if _, ok := apitext.ParseRemovedVersion(nil, ""); ok {
		t.Error("no error is taken for one")
	}
}
