package catalog

// Role is what a finalizer is for. Not every one is for cleanup.
type Role string

const (
	// RoleCleanup is removed when its controller has cleaned up after the object.
	RoleCleanup Role = "cleanup"
	// RoleGuard keeps the object until nothing uses it.
	RoleGuard Role = "guard"
	// RoleKeep is not removed by a controller on its own: only a person removes it, on purpose.
	RoleKeep Role = "keep"
	// RoleOption was set by a user so that more is deleted; without it, that is kept.
	RoleOption Role = "option"
	// RoleIntent is a flag: removing it reverses what the deletion was asked to do.
	RoleIntent Role = "intent"
	// RoleCredentials keeps what a controller needs to reach an external system: without it, other deletions hang.
	RoleCredentials Role = "credentials"
	// RoleMarker belongs to a framework, or to many programs: the type of the object identifies its controller.
	RoleMarker Role = "marker"
)

// Remover is what kind of program removes a finalizer.
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
	// RemovedByServerProcess is a process on a control plane host, such as k3s, that is no workload.
	RemovedByServerProcess Remover = "server-process"
	// RemovedByCloud is a controller that a cloud provider runs outside the cluster.
	RemovedByCloud Remover = "cloud"
	// RemovedByOtherCluster is a controller in another cluster.
	RemovedByOtherCluster Remover = "other-cluster"
	// RemovedByManagedPod is a pod of the software that the object describes, such as a database's primary.
	RemovedByManagedPod Remover = "managed-pod"
	// RemovedByPerson is a person's own decision or command.
	RemovedByPerson Remover = "person"
	// RemovedByTypeController is the controller of the type that has the finalizer.
	RemovedByTypeController Remover = "type-controller"
)

// IsKubernetes reports whether it is a program of Kubernetes itself.
func (r Remover) IsKubernetes() bool {
	return r == RemovedByAPIServer || r == RemovedByControllerManager || r == RemovedByScheduler || r == RemovedByKubelet
}

// Text names the remover in a sentence.
func (r Remover) Text() string {
	switch r {
	case RemovedByAPIServer:
		return "the API server itself"
	case RemovedByServerProcess:
		return "a process on the control plane hosts"
	case RemovedByCloud:
		return "a controller of the cloud provider, outside the cluster"
	case RemovedByOtherCluster:
		return "a controller in another cluster"
	case RemovedByManagedPod:
		return "a pod of the software that the object describes"
	case RemovedByPerson:
		return "a person"
	case RemovedByTypeController:
		return "the controller of the object's type"
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
	// StatusRetired belongs to software, or a part of it, that is no longer developed.
	StatusRetired Status = "retired"
	// StatusUnused is declared in the source, and nothing that sets it was found there.
	StatusUnused Status = "unused"
)

// The values that a file may have.
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
