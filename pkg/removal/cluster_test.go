package removal

import "testing"

// TestSameCluster holds that an address alone tells a cluster only where nothing better is known.
func TestSameCluster(t *testing.T) {
	for name, test := range map[string]struct {
		a, b Cluster
		want bool
	}{
		"same":                   {Cluster{Server: "https://a", UID: "1"}, Cluster{Server: "https://a", UID: "1"}, true},
		"by another address":     {Cluster{Server: "https://a", UID: "1"}, Cluster{Server: "https://b", UID: "1"}, true},
		"recreated":              {Cluster{Server: "https://a", UID: "1"}, Cluster{Server: "https://a", UID: "2"}, false},
		"of a tenant":            {Cluster{Server: "https://a"}, Cluster{Server: "https://a", UID: "2"}, true},
		"of a tenant, elsewhere": {Cluster{Server: "https://a"}, Cluster{Server: "https://b", UID: "2"}, false},
		"unsaid":                 {Cluster{}, Cluster{Server: "https://b"}, false},
	} {
		if got := test.a.SameAs(test.b); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
