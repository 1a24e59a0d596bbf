package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Types discovers what the API server serves: each resource once, in the
// version its group prefers.
//
// The aggregated document is read as it is. client-go's own reading of it
// leaves out groups that are marked stale, whose last known types may still be
// there to be listed.
func (s *Server) Types(ctx context.Context) ([]stuck.Type, []stuck.Gap, error) {
	var lists [2]*apidiscovery.APIGroupDiscoveryList
	var errs [2]error
	paths := [2]string{"/api", "/apis"}
	var wg sync.WaitGroup
	for i := range paths {
		wg.Go(func() { lists[i], errs[i] = s.aggregatedDiscovery(ctx, paths[i]) })
	}
	// Whoever asks for the types will list some, and has to know this for it.
	wg.Go(func() { s.loadInfo(ctx) })
	wg.Wait()
	var types []stuck.Type
	var gaps []stuck.Gap
	for i, list := range lists {
		switch {
		case errs[i] != nil:
			return nil, nil, errs[i]
		case list == nil:
			return s.unaggregatedTypes(ctx)
		}
		for _, group := range list.Items {
			t, g := groupTypes(group)
			types, gaps = append(types, t...), append(gaps, g...)
		}
	}
	return types, gaps, nil
}

// aggregatedDiscovery reads one aggregated discovery document (KEP-3352), nil where the
// server does not offer it.
func (s *Server) aggregatedDiscovery(ctx context.Context, path string) (*apidiscovery.APIGroupDiscoveryList, error) {
	body, err := s.readDocument(ctx, path, discovery.AcceptV2+","+discovery.AcceptV1)
	if err != nil {
		return nil, err
	}
	list := &apidiscovery.APIGroupDiscoveryList{}
	if err := json.Unmarshal(body, list); err != nil {
		return nil, fmt.Errorf("reading the discovery document at %s: %w", path, err)
	}
	if list.Kind != "APIGroupDiscoveryList" {
		return nil, nil
	}
	return list, nil
}

// readDocument reads a document of discovery.
func (s *Server) readDocument(ctx context.Context, path, accept string) ([]byte, error) {
	return sendRead(ctx, s, func(ctx context.Context) ([]byte, error) {
		answer := s.discovery.RESTClient().Get().AbsPath(path).SetHeader("Accept", accept).Do(ctx)
		// The error of Raw would not have read what the server says.
		if err := answer.Error(); err != nil {
			return nil, err
		}
		return answer.Raw()
	})
}

// groupTypes are the types of one group, each in the first version that has
// it: versions come in the order of preference.
func groupTypes(group apidiscovery.APIGroupDiscovery) ([]stuck.Type, []stuck.Gap) {
	var types []stuck.Type
	var gaps []stuck.Gap
	seen := map[string]bool{}
	for _, v := range group.Versions {
		stale := v.Freshness == apidiscovery.DiscoveryFreshnessStale
		if stale {
			gaps = append(gaps, cluster.StaleDiscoveryGap(group.Name, v.Version))
		}
		for _, r := range v.Resources {
			if seen[r.Resource] || r.ResponseKind == nil {
				continue
			}
			seen[r.Resource] = true
			types = append(types, stuck.Type{
				Group: group.Name, Version: v.Version, Resource: r.Resource, Kind: r.ResponseKind.Kind,
				SingularName: r.SingularResource, ShortNames: r.ShortNames, Categories: r.Categories,
				Namespaced: r.Scope == apidiscovery.ScopeNamespace,
				Listable:   slices.Contains(r.Verbs, "list"), Watchable: slices.Contains(r.Verbs, "watch"), Stale: stale,
				Undeletable: r.Scope == apidiscovery.ScopeNamespace && cluster.IsUndeletable(r.Verbs),
			})
		}
	}
	return types, gaps
}

// unaggregatedTypes discovers each group version on its own, as servers before
// 1.30 require.
func (s *Server) unaggregatedTypes(ctx context.Context) ([]stuck.Type, []stuck.Gap, error) {
	ctx, cancel := cluster.LimitRead(ctx)
	defer cancel()
	// All groups are asked at once. One that hangs is a gap, as one that fails is.
	ctx, stop := context.WithTimeout(ctx, s.requestTimeout)
	defer stop()
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, s.discovery.WithLegacyWithContext(ctx))
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discovering the types of the server: %w", cluster.ReadError(ctx, err))
	}
	var types []stuck.Type
	for _, list := range lists {
		group, version, ok := strings.Cut(list.GroupVersion, "/")
		if !ok {
			group, version = "", list.GroupVersion
		}
		for _, r := range list.APIResources {
			types = append(types, legacyType(group, version, r))
		}
	}
	var gaps []stuck.Gap
	for gv, err := range failed {
		gaps = append(gaps, cluster.DiscoveryGap(gv, apitext.ErrorMessage(err)))
	}
	slices.SortFunc(gaps, func(a, b stuck.Gap) int { return cmp.Compare(a.Source, b.Source) })
	return types, gaps, nil
}

func legacyType(group, version string, r metav1.APIResource) stuck.Type {
	return stuck.Type{
		Group: group, Version: version, Resource: r.Name, Kind: r.Kind,
		SingularName: r.SingularName, ShortNames: r.ShortNames, Categories: r.Categories,
		Namespaced: r.Namespaced, Listable: slices.Contains(r.Verbs, "list"), Watchable: slices.Contains(r.Verbs, "watch"),
		Undeletable: r.Namespaced && cluster.IsUndeletable(r.Verbs),
	}
}
