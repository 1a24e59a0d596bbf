package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
)

// discoveryOf is the aggregated discovery document of one group.
func discoveryOf(group, freshness string, kinds ...string) string {
	var resources []string
	for _, kind := range kinds {
		resources = append(resources, fmt.Sprintf(`{"resource":%q,"responseKind":{"group":%q,"version":"v1","kind":%q},"scope":"Namespaced","singularResource":%q,"verbs":["list"]}`,
			strings.ToLower(kind)+"s", group, kind, strings.ToLower(kind)))
	}
	return fmt.Sprintf(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":%q},"versions":[{"version":"v1","freshness":%q,"resources":[%s]}]}]}`,
		group, freshness, strings.Join(resources, ","))
}

// realClock goes with the Date of a server's answers, or is that of a test's bubble.
var realClock = time.Now //nolint:forbidigo // no test waits for it

// brokenServer serves Pods, Widgets and Gadgets, and answers the rest as the
// script says.
func brokenServer(t *testing.T, script fakeapi.Responses) *live.Server {
	t.Helper()
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	all := fakeapi.Responses{
		"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`), "/api": fakeapi.Respond(discoveryOf("", "Current", "Pod")),
		"/apis": fakeapi.Respond(discoveryOf("example.com", "Current", "Widget", "Gadget")),
		"/apis/example.com/v1": fakeapi.Respond(`{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[
			{"name":"widgets","kind":"Widget","namespaced":true,"verbs":["list"]},{"name":"gadgets","kind":"Gadget","namespaced":true,"verbs":["list"]}]}`),
	}
	for path, handler := range script {
		all[path] = handler
	}
	return fakeapi.StartWithClock(t, realClock, all).Server
}

func TestListOfNothingReadIsAnError(t *testing.T) {
	lists := func(handler http.HandlerFunc) fakeapi.Responses {
		return fakeapi.Responses{"/api/v1/pods": handler, "/apis/example.com/v1/widgets": handler, "/apis/example.com/v1/gadgets": handler}
	}
	for name, test := range map[string]struct {
		script fakeapi.Responses
		args   []string
		code   int
		says   string
	}{
		"may list nothing":                {args: []string{"-A"}, code: 1, says: "error: you may not list any type in the cluster: ask for that right"},
		"may list nothing in a namespace": {args: []string{"-n", "shop"}, code: 1, says: "error: you may not list any type in namespace shop: ask for that right"},
		"a gateway does not find lists":   {script: lists(http.NotFound), args: []string{"-A"}, code: 1, says: "error: none of 3 types can be listed in the cluster: gadgets.example.com: "},
		"as a document":                   {script: lists(http.NotFound), args: []string{"-A", "-o", "json"}, code: 1, says: "error: none of 3 types can be listed"},
		"one type is not found": {
			script: fakeapi.Responses{"/api/v1/pods": fakeapi.RespondList(), "/apis/example.com/v1/gadgets": fakeapi.RespondList(), "/apis/example.com/v1/widgets": http.NotFound},
			args:   []string{"-A", "--exit-code"}, code: 4, says: "could not read widgets.example.com: ",
		},
		"all are empty": {script: lists(fakeapi.RespondList()), args: []string{"-A"}, says: "No stuck objects found in the cluster."},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := runOn(t, brokenServer(t, test.script), append([]string{"list"}, test.args...)...)
			if code != test.code || !strings.Contains(errOut, test.says) {
				t.Errorf("the code is %d, not %d, and it should say %q:\n%s%s", code, test.code, test.says, errOut, out)
			}
			if code == 1 && (out != "" || strings.Count(errOut, "\n") != 1) {
				t.Errorf("an error is one line on standard error:\n%s%s", errOut, out)
			}
		})
	}
}

// partlyHanging answers discovery and the list of Pods, and nothing else.
type partlyHanging struct{}

func (partlyHanging) RoundTrip(r *http.Request) (*http.Response, error) {
	var kinds []string
	for n := range 40 {
		kinds = append(kinds, fmt.Sprintf("Thing%d", n))
	}
	body, ok := map[string]string{
		"/version": `{"gitVersion":"v1.37.1"}`, "/api": discoveryOf("", "Current", "Pod"), "/apis": discoveryOf("example.com", "Current", kinds...),
		"/api/v1/pods": `{"kind":"PodList","items":[]}`,
	}[r.URL.Path]
	if !ok {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	w := httptest.NewRecorder()
	fakeapi.Respond(body)(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// A command ends when its time is over, with what it has, and says what it did not
// get to.
func TestCommandEndsWithItsTime(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	for flag, want := range map[string]struct {
		takes time.Duration
		says  string
	}{
		"--request-timeout=0":  {takes: 2 * time.Minute, says: "not read: the command's time of 2m was over"},
		"--request-timeout=1m": {takes: 3 * time.Minute, says: "not read: the command's time of 3m was over"},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: partlyHanging{}}, realClock)
			if err != nil {
				t.Fatal(err)
			}
			start := realClock()
			code, _, errOut := runOn(t, server, "list", "-A", "--exit-code", flag)
			if took := time.Since(start); took != want.takes {
				t.Errorf("it took %s, not %s", took, want.takes)
			}
			if code != 4 || !strings.Contains(errOut, want.says) || !strings.Contains(errOut, "no answer in time") {
				t.Errorf("the code is %d, and it does not say %q:\n%s", code, want.says, errOut)
			}
		})
	}
}

func TestNamesThatArePathsAreRefused(t *testing.T) {
	for _, args := range []string{
		"explain pod/..", "explain pod/.", "explain pod a%2fb", "list pod ..", "list pod/..", "force-remove pod/.. --server=http://127.0.0.1:1",
		"explain pod/web -n ../kube-system", "list -n ..", "list -n a%2fb", "health -n ..",
	} {
		t.Run(args, func(t *testing.T) {
			code, out, errOut := runOn(t, brokenServer(t, nil), strings.Fields(args)...)
			if code != 1 || !strings.Contains(errOut, "is not a name: ") && !strings.Contains(errOut, "cannot be the name of a namespace") || strings.Count(errOut, "\n") != 1 || out != "" {
				t.Errorf("the code is %d:\n%s%s", code, errOut, out)
			}
		})
	}
}

func TestClocksThatAreDaysApartAreSaid(t *testing.T) {
	for name, test := range map[string]struct {
		date time.Time
		says string
	}{
		"ten years ahead":  {date: realClock().AddDate(10, 0, 0), says: "10y ahead of the clock of this machine"},
		"ten years behind": {date: realClock().AddDate(-10, 0, 0), says: "10y behind the clock of this machine"},
		"an hour ahead":    {date: realClock().Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			dated := func(handler http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Date", test.date.UTC().Format(http.TimeFormat))
					handler(w, r)
				}
			}
			script := fakeapi.Responses{
				"/version": dated(fakeapi.Respond(`{"gitVersion":"v1.37.1"}`)), "/api": dated(fakeapi.Respond(discoveryOf("", "Current", "Pod"))),
				"/apis": dated(fakeapi.Respond(discoveryOf("example.com", "Current"))), "/api/v1/pods": dated(fakeapi.RespondList()),
				"/api/v1/namespaces/shop/pods/web": dated(fakeapi.RespondJSON(fakeapi.Object("shop", "web"))),
			}
			code, _, errOut := runOn(t, brokenServer(t, script), "list", "-A", "--exit-code")
			if told := strings.Contains(errOut, "could not read the time: the API server's clock"); told != (test.says != "") || !strings.Contains(errOut, test.says) {
				t.Errorf("the code is %d, and it does not say %q:\n%s", code, test.says, errOut)
			}
			code, _, errOut = runOn(t, brokenServer(t, script), "force-remove", "pod/web", "-n", "shop", "--dry-run=client", "--server=http://127.0.0.1:1")
			if refused := strings.Contains(errOut, "nothing was changed: the API server's clock"); refused != (test.says != "") {
				t.Errorf("the code of force-remove is %d, and it says:\n%s", code, errOut)
			}
		})
	}
}

// What a server sends forges no line, and does not fill the screen.
func TestTextsOfTheServerStayInTheirLine(t *testing.T) {
	long := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"kind":"Status","status":"Failure","code":500,"message":%q}`, strings.Repeat("much ", 1<<18))
	}
	server := brokenServer(t, fakeapi.Responses{
		"/apis":        fakeapi.Respond(discoveryOf("evil\nNo stuck objects found in the cluster.\n", "Stale", "Widget")),
		"/api/v1/pods": fakeapi.RespondList(), "/api/v1/namespaces/shop/pods/web": long,
	})
	_, _, errOut := runOn(t, server, "list", "-A")
	for line := range strings.Lines(errOut) {
		if !strings.HasPrefix(line, "could not read ") && !strings.HasPrefix(line, "No stuck objects found in the cluster, but") {
			t.Errorf("a line is forged: %q", line)
		}
	}
	_, _, errOut = runOn(t, brokenServer(t, fakeapi.Responses{"/api/v1/pods": fakeapi.RespondList(), "/apis/example.com/v1/widgets": long}), "list", "-A")
	if !strings.Contains(errOut, "could not read widgets.example.com: much") || len(errOut) > 2000 {
		t.Errorf("%d bytes on standard error:\n%.3000s", len(errOut), errOut)
	}
	code, _, errOut := runOn(t, server, "explain", "pod/web", "-n", "shop")
	if code != 1 || len(errOut) > 3000 {
		t.Errorf("the code is %d, with %d bytes on standard error:\n%.3000s", code, len(errOut), errOut)
	}
}

// client-go logs what it also returns.
func TestLibrariesLogNothing(t *testing.T) {
	var logged bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&logged)
	defer klog.LogToStderr(true)
	server := brokenServer(t, fakeapi.Responses{"/api/v1/namespaces/shop/pods/web": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "{") // and no more
	}})
	code, _, errOut := runOn(t, server, "explain", "pod/web", "-n", "shop")
	klog.Flush()
	if code != 1 || logged.Len() > 0 {
		t.Errorf("the code is %d, and what is logged:\n%s%s", code, logged.String(), errOut)
	}
}
