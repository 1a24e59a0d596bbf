package snapshot

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// redactionOf is that of a snapshot with some objects.
func redactionOf(t *testing.T, answers []dump.Answer, objects ...map[string]any) *Redaction {
	t.Helper()
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecorder(nil)
	cart := stuck.Type{Group: "shop.example.com", Version: "v1", Resource: "carts", SingularName: "cart", Kind: "Cart", Namespaced: true}
	namespace := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	r.types = []stuck.Type{cart, namespace}
	for _, content := range objects {
		r.keepObject(whole, cart, content)
	}
	for _, answer := range answers {
		r.answers[answer.Question] = answer
	}
	redaction, err := r.NewRedaction(known)
	if err != nil {
		t.Fatal(err)
	}
	return redaction
}

func cart(namespace, name string) map[string]any {
	return map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Cart", "metadata": map[string]any{"namespace": namespace, "name": name}}
}

// Names are replaced wherever they stand, and nothing else is.
func TestRedactionText(t *testing.T) {
	r := redactionOf(t, []dump.Answer{{Question: "get configmaps ledger/rates"}}, cart("shop", "acme-0"), cart("shop", "acme-backup"), cart("kube-system", "velero"))
	acme, backup, shop, ledger, rates := r.Text("acme"), r.Text("backup"), r.Text("shop"), r.Text("ledger"), r.Text("rates")
	for _, pseudonym := range []string{acme, backup, shop, ledger, rates} {
		if len(pseudonym) != 1+pseudonymDigits || !strings.HasPrefix(pseudonym, pseudonymPrefix) {
			t.Errorf("a pseudonym is %q", pseudonym)
		}
	}
	for text, want := range map[string]string{
		"acme-0":                       acme + "-0",
		"acme-backup":                  acme + "-" + backup,
		"acmes and macme":              "acmes and macme",
		"https://acme-0.shop.svc:443/": "https://" + acme + "-0." + shop + ".svc:443/",
		`carts.shop.example.com "acme-0" not found`: `carts.shop.example.com "` + acme + `-0" not found`,
		"shop.example.com/cleanup of shop":          "shop.example.com/cleanup of " + shop,
		"?labelSelector=app%3Dacme":                 "?labelSelector=app%3D" + acme,
		`{\"name\":\"acme\"}\nshop`:                 `{\"name\":\"` + acme + `\"}\n` + shop,
		"system:serviceaccount:shop:acme":           "system:serviceaccount:" + shop + ":" + acme,
		"--shop=shop":                               "--shop=" + shop,
		"a--shop":                                   "a--" + shop,
		"kube-system/velero":                        "kube-system/velero",
		`admission webhook "a" denied the request: configmaps "rates" in ledger`: `admission webhook "a" denied the request: configmaps "` + rates + `" in ` + ledger,
		"cacme_acme": "cacme_" + acme,
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// Pseudonyms are in the order of the words, so that objects are met in the same order, and differ between snapshots.
func TestRedactionOrder(t *testing.T) {
	var objects []map[string]any
	names := []string{"a", "b", "ba", "bar", "bb", "car", "cars", "w1", "web", "webb", "webs", "zoo"}
	for _, name := range names {
		objects = append(objects, cart("x", name))
	}
	redacted := func() (out []string) {
		r := redactionOf(t, nil, objects...)
		for _, name := range names {
			out = append(out, r.Text(name))
		}
		return out
	}
	first, second := redacted(), redacted()
	if !slices.IsSorted(first) || len(slices.Compact(slices.Clone(first))) != len(names) {
		t.Errorf("%q", first)
	}
	if slices.Equal(first, second) {
		t.Errorf("two snapshots have the pseudonyms %q", first)
	}
}

// Every part of an object, of an answer and of a question is redacted, and what belongs to the API stays.
func TestRedactionContent(t *testing.T) {
	object := cart("shop", "acme-5d8f7b9c6-x7x2z")
	object["metadata"] = map[string]any{
		"namespace": "shop", "name": "acme-5d8f7b9c6-x7x2z", "finalizers": []any{"shop.example.com/acme"}, "labels": map[string]any{"acme": "shop", "app.kubernetes.io/name": "acme"},
		"ownerReferences": []any{map[string]any{"kind": "ReplicaSet", "name": "acme-5d8f7b9c6", "uid": "1"}},
		"managedFields":   []any{map[string]any{"manager": "acme", "fieldsV1": map[string]any{`k:{"name":"acme"}`: map[string]any{}, "f:finalizers": map[string]any{}}}},
	}
	object["spec"] = map[string]any{"secretRef": map[string]any{"name": "treasure"}, "ledgerName": "gold", "caBundle": "YWNtZQ==", "type": "Shop", "selector": map[string]any{"matchLabels": map[string]any{"acme": "shop", "kind": "acme"}}, "resources": []any{map[string]any{"name": "acme"}}}
	object["status"] = map[string]any{"reason": "the acme of shop failed", "phase": "acme", "conditions": []any{map[string]any{"type": "Acme"}}}
	r := redactionOf(t, nil, object)
	encoded, err := json.Marshal(r.object(object))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(encoded), "shop.example.com/acme", "")
	for _, name := range []string{"acme", "treasure", "gold", `"shop"`, " shop"} {
		if strings.Contains(text, name) {
			t.Errorf("%s is in %s", name, text)
		}
	}
	for _, kept := range []string{`"finalizers":["shop.example.com/acme"]`, "-x7x2z", `"caBundle":"YWNtZQ=="`, `"app.kubernetes.io/name"`, `"f:finalizers"`, `"kind":"Cart"`, `"type":"Acme"`} {
		if !strings.Contains(string(encoded), kept) {
			t.Errorf("%s is not in %s", kept, encoded)
		}
	}
	status := &metav1.Status{Message: `carts.shop.example.com "acme" not found`, Reason: metav1.StatusReasonNotFound, Details: &metav1.StatusDetails{Name: "acme", Group: "shop.example.com", Kind: "carts"}}
	document, err := r.document(dump.Snapshot{
		DiscoveryGaps: []dump.DiscoveryGap{{Source: "/apis/shop.example.com/v1", Error: "no route to acme.shop.svc"}},
		Answers: []dump.Answer{
			{Question: "get carts.shop.example.com shop/acme", Error: status},
			{Question: "list pods shop/ labels=" + corev1.LabelHostname + " in (acme,gold),zoo=acme fields=spec.nodeName=acme", Failure: "acme is down", Objects: []string{"shop/acme"}},
			{Question: "list pods shop/ fields=gold=acme"},
			{Question: `scan pods shop/ from="acm" limit=1`},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if encoded, err = json.Marshal(document); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(encoded), "acm") || !strings.Contains(string(encoded), `"name":"`+r.Text("acme")+`","group":"shop.example.com","kind":"carts"`) ||
		!strings.Contains(string(encoded), "kubernetes.io/hostname in ("+r.Text("acme")+","+r.Text("gold")+"),zoo=") || !strings.Contains(string(encoded), "fields=gold="+r.Text("acme")) {
		t.Errorf("%s", encoded)
	}
}

// The random end of a generated name stays, whoever names the object: it is how a Pod is known for that of its controller.
func TestRedactionKeepsGeneratedEnds(t *testing.T) {
	pod := cart("shop", "acme-x7x2z")
	pod["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"kind": "DaemonSet", "name": "acme"}}
	r := redactionOf(t, []dump.Answer{{Question: "get carts.shop.example.com shop/acme-x7x2z"}, {Question: "get pods shop/gold-5d8f7b9c6-qr2hm"}, {Question: "get pods shop/gold-bmw24"}}, pod)
	for name, want := range map[string]string{
		"acme-x7x2z": r.Text("acme") + "-x7x2z", "gold-5d8f7b9c6-qr2hm": r.Text("gold") + "-5d8f7b9c6-qr2hm", "gold-bmw24": r.Text("gold") + "-" + r.Text("bmw24"),
	} {
		if got := r.Text(name); got != want || r.Text("bmw24") == "bmw24" {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
}

// What encodes names is left out.
func TestRedactionLeavesOut(t *testing.T) {
	r := redactionOf(t, nil)
	request := map[string]any{"kind": "CertificateSigningRequest", "spec": map[string]any{"request": "YWNtZQ==", "username": "u"}, "status": map[string]any{"certificate": "YWNtZQ=="}}
	config := map[string]any{"kind": "ConfigMap", "binaryData": map[string]any{"k": "YWNtZQ=="}, "data": map[string]any{"k": "v"}}
	for _, object := range []map[string]any{request, config} {
		if encoded, err := json.Marshal(r.object(object)); err != nil || strings.Contains(string(encoded), "YWNtZQ") {
			t.Errorf("%s, %v", encoded, err)
		}
	}
}

// Who owns which field stays known, also where names have the words by which managedFields are written.
func TestRedactionOfManagedFields(t *testing.T) {
	object := cart("f-k", "v-ownerreferences-uid")
	object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"fieldsV1": map[string]any{
		"f:metadata": map[string]any{
			"f:finalizers": map[string]any{".": map[string]any{}, `v:"shop.example.com/cleanup"`: map[string]any{}},
			"f:labels":     map[string]any{"f:v": map[string]any{}, "f:k/f": map[string]any{}},
		},
		"f:spec": map[string]any{"f:v": map[string]any{"f:items": map[string]any{`k:{"uid":"v"}`: map[string]any{"f:k": map[string]any{}}}}},
	}}}
	r := redactionOf(t, nil, object)
	encoded, err := json.Marshal(r.object(object))
	if err != nil {
		t.Fatal(err)
	}
	v, k, f := r.Text("v"), r.Text("k"), r.Text("f")
	want := `"fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"shop.example.com/cleanup\"":{}},` +
		`"f:labels":{"f:` + k + "/" + f + `":{},"f:` + v + `":{}}},` +
		`"f:spec":{"f:v":{"f:items":{"k:{\"uid\":\"` + v + `\"}":{"f:k":{}}}}}}`
	if !strings.Contains(string(encoded), want) {
		t.Errorf("%s is not in %s", want, encoded)
	}
}
