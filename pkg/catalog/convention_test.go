package catalog

import "testing"

func TestConventions(t *testing.T) {
	c := load(t)
	cluster := Subject{
		Groups: []string{"apps", "widgets.example.net", "gears.example.org"},
		CRDs:   []string{"gears.gears.example.org"},
	}
	for _, want := range []struct {
		name        string
		kind, group string
		managers    []string
		convention  Convention
		owner       string
	}{
		{"shop.acme.dev/cleanup", "Widget", "shop.acme.dev", nil, OwnGroup, "shop.acme.dev"},
		{"finalizer.shop.acme.dev", "Widget", "shop.acme.dev", nil, OwnGroup, "shop.acme.dev"},
		{"widget.shop.acme.dev", "Widget", "shop.acme.dev", nil, KindDotGroup, "shop.acme.dev"},
		{"widgets.shop.acme.dev/finalizer", "Widget", "shop.acme.dev", nil, CRDName, "shop.acme.dev"},
		{"widgets.shop.acme.dev", "Widget", "shop.acme.dev", nil, CRDName, "shop.acme.dev"},
		{"shop.acme.dev/widget", "Widget", "shop.acme.dev", nil, GroupSlashKind, "shop.acme.dev"},
		{"widget/shop.acme.dev", "Widget", "shop.acme.dev", nil, KindSlashGroup, "shop.acme.dev"},
		{"deletion.finalizers.widgets.shop.acme.dev", "Widget", "shop.acme.dev", nil, DeletionFinalizers, "shop.acme.dev"},
		{"operator.acme.dev/finalizer", "Widget", "shop.acme.dev", nil, OwnDomain, "shop.acme.dev"},
		{"hold.app.acme.org", "Widget", "org.acme.app", nil, ReversedGroup, "org.acme.app"},
		{"widgets.example.net/x", "Gear", "gears.example.net", nil, OtherGroup, "widgets.example.net"},
		{"gears.gears.example.org/finalizer", "Secret", "", nil, OtherCRD, "gears.gears.example.org"},
		{"hold.widgets.example.net/x", "Secret", "", nil, OtherGroup, "widgets.example.net"},
		{"widget-operator", "ConfigMap", "", []string{"widget-operator"}, ContainsManager, "widget-operator"},
		{"widgetFinalizer", "Widget", "shop.acme.dev", nil, ContainsKind, "shop.acme.dev"},
		{"mygateway-finalizer", "MyGateway", "shop.acme.dev", nil, ContainsKind, "shop.acme.dev"},
		{"acme", "Widget", "shop.acme.dev", nil, ContainsGroup, "shop.acme.dev"},
	} {
		subject := cluster
		subject.Kind, subject.Group, subject.Managers = want.kind, want.group, want.managers
		match := c.Lookup(want.name, subject)
		if match.How != ByConvention || match.Convention != want.convention || match.BelongsTo != want.owner {
			t.Errorf("%s on %s.%s is known %s, %s, owner %q; want %s, %s", want.name, want.kind, want.group,
				match.How, match.Convention, match.BelongsTo, want.convention, want.owner)
		}
	}
}

// What a convention does not carry stays unknown: never a guess dressed as knowledge.
func TestNoConventionGuesses(t *testing.T) {
	c := load(t)
	for _, unknown := range []struct{ name, kind, group string }{
		{"somebody.else/cleanup", "Widget", "shop.acme.dev"},
		{"cleanup", "Widget", "shop.acme.dev"},
		{"pod-finalizer", "Pod", ""},
		{"finalizer", "Widget", "operator.acme.dev"},
		{"other.openshift.io/x", "Widget", "mine.openshift.io"},
		{"other.sigs.k8s.io/x", "Widget", "mine.sigs.k8s.io"},
		{"myshop.acme.dev.evil.com/x", "Widget", "shop.acme.dev"},
		{"notshop.acme.dev", "Widget", "shop.acme.devs"},
		{"example.com/cleanup", "Widget", "shop.acme.dev"},
	} {
		match := c.Lookup(unknown.name, subjectOf(unknown.kind, unknown.group))
		if match.Known() {
			t.Errorf("%s on %s.%s is known %s, %s: %s", unknown.name, unknown.kind, unknown.group,
				match.How, match.Convention, match.Reason)
		}
	}
}
