package catalog

// Role is what a finalizer is for. Not every one is a clean-up.
type Role string

const (
	// RoleCleanup does work when the object goes, and lets go when the work is done.
	RoleCleanup Role = "cleanup"
	// RoleGuard does no work: it holds the object until nothing uses it any more.
	RoleGuard Role = "guard"
	// RoleKeep is meant to stay: only a person takes it off, on purpose.
	RoleKeep Role = "keep"
	// RoleOption was put there by a user to ask for more to be deleted; without it, that is kept.
	RoleOption Role = "option"
	// RoleIntent is a flag: to remove it reverses what the deletion was asked to do.
	RoleIntent Role = "intent"
	// RoleCredentials holds what a controller needs to reach the other side: without it other deletions hang.
	RoleCredentials Role = "credentials"
	// RoleMarker belongs to a framework, or to many programs: the type that carries it says whose it is.
	RoleMarker Role = "marker"
)

// Remover is the sort of thing that removes a finalizer.
type Remover string

const (
	// RemovedByWorkload is a Deployment, StatefulSet or DaemonSet in this cluster.
	RemovedByWorkload Remover = "workload"
	// RemovedByAPIServer is the API server itself.
	RemovedByAPIServer Remover = "api-server"
	// RemovedByControllerManager is kube-controller-manager, which hosted clusters do not show.
	RemovedByControllerManager Remover = "kube-controller-manager"
	// RemovedByScheduler is kube-scheduler.
	RemovedByScheduler Remover = "kube-scheduler"
	// RemovedByKubelet is the kubelet of a node.
	RemovedByKubelet Remover = "kubelet"
	// RemovedByServerProcess is a process on a server's host, such as k3s, that shows as no workload.
	RemovedByServerProcess Remover = "server-process"
	// RemovedByCloud is a controller that a cloud runs outside the cluster.
	RemovedByCloud Remover = "cloud"
	// RemovedByOtherCluster is a controller in another cluster.
	RemovedByOtherCluster Remover = "other-cluster"
	// RemovedByManagedPod is a pod of the software that the object describes, such as a database's primary.
	RemovedByManagedPod Remover = "managed-pod"
	// RemovedByPerson is a person's own decision or command.
	RemovedByPerson Remover = "person"
	// RemovedByTypeController is whichever controller handles the type that carries the finalizer.
	RemovedByTypeController Remover = "kinds-owner"
)

// Text says in a sentence's words what sort of thing the remover is.
func (r Remover) Text() string {
	switch r {
	case RemovedByAPIServer:
		return "the API server itself"
	case RemovedByServerProcess:
		return "a process on the servers' hosts"
	case RemovedByCloud:
		return "the cloud's own controller, outside the cluster"
	case RemovedByOtherCluster:
		return "a controller in another cluster"
	case RemovedByManagedPod:
		return "a pod of the software that the object describes"
	case RemovedByPerson:
		return "a person's command or decision"
	case RemovedByTypeController:
		return "whichever controller handles the type it is on"
	case RemovedByWorkload:
		return "a controller in the cluster"
	}
	return string(r)
}

// Status reports whether current releases still set a finalizer.
type Status string

const (
	// StatusInUse is set by current releases.
	StatusInUse Status = ""
	// StatusDeprecated is still removed, but no longer set, by current releases.
	StatusDeprecated Status = "deprecated"
	// StatusRetired belongs to software, or a part of it, that is no longer made.
	StatusRetired Status = "retired"
	// StatusUnused is declared in the source, and nothing that sets it was found there.
	StatusUnused Status = "unused"
)

// The words that are allowed in a file, as parsing checks them. Those of leaks are in leak.go.
func knownRoles() []Role {
	return []Role{RoleCleanup, RoleGuard, RoleKeep, RoleOption, RoleIntent, RoleCredentials, RoleMarker}
}

func knownRemovers() []Remover {
	return []Remover{
		RemovedByWorkload, RemovedByAPIServer, RemovedByControllerManager, RemovedByScheduler, RemovedByKubelet,
		RemovedByServerProcess, RemovedByCloud, RemovedByOtherCluster, RemovedByManagedPod, RemovedByPerson,
		RemovedByTypeController,
	}
}

func knownStatuses() []Status {
	return []Status{StatusInUse, StatusDeprecated, StatusRetired, StatusUnused}
}
