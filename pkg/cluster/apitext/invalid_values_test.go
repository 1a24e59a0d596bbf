package apitext

import (
	"strings"
	"testing"
)

func TestWithoutValues(t *testing.T) {
	template := `{"Volumes":null,"Containers":[{"Name":"a","Command":["sh","-c","echo \"}\""]}],"DNSPolicy":"ClusterFirst"}`
	for name, test := range map[string]struct{ message, want string }{
		"a template as JSON": {
			`Job.batch "a" is invalid: spec.template: Invalid value: ` + template + `: field is immutable`,
			`Job.batch "a" is invalid: spec.template: Invalid value: {...}: field is immutable`,
		},
		"a template in the syntax of Go": {
			`spec.template: Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"", Labels:map[string]string{"a":"b"}}}: field is immutable`,
			`spec.template: Invalid value: core.PodTemplateSpec{...}: field is immutable`,
		},
		"two errors": {
			`[spec.a: Invalid value: ` + template + `: field is immutable, spec.b: Invalid value: ` + template + `: is wrong]`,
			`[spec.a: Invalid value: {...}: field is immutable, spec.b: Invalid value: {...}: is wrong]`,
		},
		"the differences of a pod": {
			"spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image` core.PodSpec{ ... // 30 identical fields Affinity: &core.Affinity{NodeAffinity: nil}, }",
			"spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image` core.PodSpec{...}",
		},
		"a short value":     {`spec.ports: Invalid value: [1,2]: too many`, `spec.ports: Invalid value: [1,2]: too many`},
		"a string":          {`spec.region: Invalid value: "` + strings.Repeat("x", 80) + `": too long`, `spec.region: Invalid value: "` + strings.Repeat("x", 80) + `": too long`},
		"one that is cut":   {`spec.a: Invalid value: {"a":"` + strings.Repeat("x", 80), `spec.a: Invalid value: {...}`},
		"nothing to remove": {`spec.region: Required value`, `spec.region: Required value`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WithoutValues(test.message); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
