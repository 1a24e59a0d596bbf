// Command cert-manager runs controllers of cert-manager. Its own program is in a module that no registry has, so this one starts
// the controllers with the same constructors; it has no flags for what the stories do not need.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/acmechallenges"
	"github.com/cert-manager/cert-manager/pkg/controller/acmeorders"
	"github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/acme" // issuers of this kind
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: os.Getenv("KUBECONFIG"), KubernetesAPIQPS: 20, KubernetesAPIBurst: 50,
		ACMEOptions:      controller.ACMEOptions{DNS01Nameservers: []string{"127.0.0.1:9"}}, // there is no DNS server
		SchedulerOptions: controller.SchedulerOptions{MaxConcurrentChallenges: 60},
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	ended := make(chan error, 3)
	for name, construct := range controller.Known() {
		if !slices.Contains([]string{acmechallenges.ControllerName, acmeorders.ControllerName, issuers.ControllerName}, name) {
			continue
		}
		controller, err := construct(factory)
		if err != nil {
			return fmt.Errorf("constructing %s: %w", name, err)
		}
		go func() { ended <- controller.Run(1, ctx) }()
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	shared.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}
