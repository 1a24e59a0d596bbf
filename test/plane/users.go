package plane

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// The users that every plane has, besides the tenants of [Plane.Tenant].
const (
	// Admin may do everything.
	Admin = "admin"
	// Viewer may read everything but Secrets and the paths that are no resources; see [Plane.Viewer].
	Viewer = "viewer"
)

// maxTenants is how many namespaces of a plane can have a tenant: the API server reads its users once.
const maxTenants = 64

func tenant(i int) string { return fmt.Sprintf("tenant-%d", i) }

// writeUsers writes the file of tokens, and a kubeconfig for each user.
func (p *Plane) writeUsers() error {
	groups := map[string]string{Admin: "system:masters", Viewer: ""}
	for _, part := range []string{"system:kube-controller-manager", "system:kube-scheduler", "kwok"} {
		groups[part] = "system:masters"
	}
	for i := range maxTenants {
		groups[tenant(i)] = ""
	}
	var lines strings.Builder
	for user, group := range groups {
		token := rand.Text()
		fmt.Fprintf(&lines, "%s,%s,%s,%s\n", token, user, user, group)
		if err := p.writeKubeconfig(user, token); err != nil {
			return err
		}
	}
	return p.write("tokens.csv", []byte(lines.String()))
}

func (p *Plane) writeKubeconfig(user, token string) error {
	config := api.NewConfig()
	config.Clusters["plane"] = &api.Cluster{Server: p.Server(), CertificateAuthority: p.file("ca.crt")}
	config.AuthInfos[user] = &api.AuthInfo{Token: token}
	config.Contexts["plane"] = &api.Context{Cluster: "plane", AuthInfo: user}
	config.CurrentContext = "plane"
	if err := clientcmd.WriteToFile(*config, p.Kubeconfig(user)); err != nil {
		return fmt.Errorf("writing the kubeconfig of %s: %w", user, err)
	}
	return nil
}

// Kubeconfig is the path of a user's kubeconfig.
func (p *Plane) Kubeconfig(user string) string { return p.file(user + ".kubeconfig") }

// Config is how to reach the API server as a user, at any speed.
func (p *Plane) Config(user string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig(user))
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", user, err)
	}
	config.QPS = -1
	return config, nil
}

func (p *Plane) client(user string) (kubernetes.Interface, error) {
	config, err := p.Config(user)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client for %s: %w", user, err)
	}
	return client, nil
}

// asAdmin does something with the client of the admin.
func (p *Plane) asAdmin(ctx context.Context, do func(context.Context, kubernetes.Interface) error) error {
	client, err := p.client(Admin)
	if err != nil {
		return err
	}
	return do(ctx, client)
}
