// Package catalog holds what is known of finalizers: the controller that removes each, what it does before that, what is
// left behind when one is removed by force, and the steps to take. It reads no cluster and writes nothing.
//
// # The files
//
// Knowledge is data: finalizers/<area>/<project>.yaml, one file per project, embedded in the program. A user's
// own files have the same form. A file says
//
//	area: storage                  only in a user's file; an embedded file's folder says it
//	project: Rook                  the name of the software
//	components:                    what removes the finalizers below; an entry without "component" means the first
//	- name: operator               how entries of this file refer to it
//	  removedBy: workload          see Remover; left out it means workload
//	  namespaces: [rook-ceph]      where it usually runs
//	  workloads: [deployment/rook-ceph-operator]
//	  labels: [app=rook-ceph-operator]    a selector: all of them hold
//	  containers: [rook-ceph-operator]
//	  hosted:                      where it runs, if removedBy is cloud or other-cluster; see Hosted
//	    where: in the control plane that Google runs
//	    steps: [{action: check, description: see whether the add-on is on, command: "..."}]
//	  scope:                       what limits it to some namespaces; see Scope
//	  - {flag: --namespaces}       or env; own: [""] if it works in its own namespace where nothing is set
//	  - ownNamespace: true         it always does
//	    extend: {action: change, description: create a manager for the namespace, command: "..."}
//	  managers: [rook]             the names under which it writes managedFields
//	  source:                      the manifest or chart that says how it runs
//	  - {repository: rook/rook, path: deploy/examples/operator.yaml, ref: v1.17.0, shows: [Workload]}
//	finalizers:
//	- finalizer: exact/name        or "pattern" and "example", never both
//	  pattern: <kind>.ceph.rook.io the whole name; see Pattern for what a placeholder takes
//	  example: cephcluster.ceph.rook.io
//	  names: {node: Node}          the type of object that a placeholder names, to check whether it exists
//	  types: [CephCluster.ceph.rook.io]
//	  component: operator
//	  verbs: [patch]               with which the component removes it, update or patch; left out it may be either
//	  role: cleanup                see Role; left out it means cleanup
//	  status: deprecated           see Status; left out it means in use
//	  waitsFor: what its controller does, or waits for, before it is removed
//	  leak: ExternalResources      see stuck.Leak: what is left behind when it is removed by force
//	  leaves: the same in words
//	  steps:                       the steps after which its controller removes it, best first
//	  - action: check              or change, delete, force
//	    description: see which pool is still in use
//	    command: kubectl -n {namespace} describe cephcluster {name}
//	  needs:                       objects without which the controller cannot finish; see Need
//	  - name: spec.secretRef.name  the field that names the object
//	    types: [Secret]            with several types, kind: the field that holds the kind
//	    purpose: to reach the cloud
//	  - name: spec.infraRef.name   of a type that the object names too
//	    kind: spec.infraRef.kind
//	    group: spec.infraRef.apiGroup
//	    types: ["*.infra.example.com"]
//	    typeOnly: true             the type has to be served, the object itself may be deleted
//	    purpose: to delete the machine
//	    unless: [{condition: Detached}, {field: spec.hostRef, unset: true}]    values with which it does without
//	  - label: example.com/farm    or an annotation holds the name; prefix and suffix are added to it
//	    suffix: -kubeconfig
//	    types: [Secret]
//	    purpose: to reach the farm
//	  - fixed: cloud-credentials   the name is always the same
//	    namespace: kube-system     a namespace, or the field that holds it
//	    types: [Secret]
//	    purpose: to reach the cloud
//	  - of:                        objects in between: the object names the first, each the next, the last what is needed
//	    - {name: spec.farmRef.name, types: [Farm.example.com]}
//	    name: spec.secretRef.name
//	    types: [Secret]
//	    purpose: to reach the farm
//	  usedBy:                      types whose objects keep the object while they use it; see Usage
//	  - {type: CephBlockPool.ceph.rook.io, name: spec.clusterRef.name}
//	  - type: Field.example.com
//	    name: spec.farm
//	    default: home              what an empty name means
//	    text: lies on the farm     how it uses the object
//	    release: {action: delete, description: delete the field, command: "... {user}"}
//	    transient: true            it ends by itself
//	  - type: Barn.example.com     every one counts, of the namespace of a namespaced object
//	    all: true
//	  paused:                      what makes the controller leave the object alone; see Pause
//	  - annotation: example.com/paused
//	    resume: {action: change, description: remove the annotation, command: "..."}
//	  - field: spec.paused         of another object that the object names
//	    of: [{types: [Farm.example.com], label: example.com/farm-name}]
//	    resume: {action: change, description: resume the farm, command: "... {parent} ..."}
//	  class:                       the class whose objects alone the controller handles; see Class
//	  - {field: spec.className, type: Class.example.com, controller: spec.controller, controllers: [example.com/this]}
//	  confirmation:                what a person has to say before the deletion goes on; see Confirmation
//	  - annotation: example.com/deletion-approved
//	    when: [{field: spec.protected, value: "true"}]
//	    confirm: {action: change, description: approve the deletion, command: "..."}
//	  remote:                      the other cluster in which something has to be done first; see Remote
//	  - field: metadata.namespace  or annotation, or label: what holds its name
//	    prefix: cluster-           what stands before the name
//	    type: Outpost.example.com  what represents that cluster, cluster-scoped
//	    ready: [{condition: Available}]    values of it with which the deletion goes on, one is enough
//	    unless: [{condition: CleanupDone}]    values of the object with which that cluster is not needed
//	    connect: {action: check, description: see why it is not connected, command: "... {remote}"}
//	  enabledBy:                   settings of the component without which it leaves the finalizer alone; see Setting
//	  - {gate: FarmCleanup, default: disabled}    of its flag --feature-gates; default is what it does if nothing is set
//	  - {flag: --enable-farms}     or env: an environment variable
//	  - {env: FARM_MODE, values: [full, cleanup]}    left out, values is true
//	  obsolete:                    current releases do not remove it; see Obsolete
//	    {since: v1.2.0, successor: example.com/cleanup, text: the successor does its work}
//	  note: what else an operator should know
//	  source:
//	  - {repository: rook/rook, path: pkg/operator/ceph/controller/finalizer.go, ref: v1.17.0, shows: [Addition, Removal]}
//
// Unknown fields, missing fields, unknown values and duplicate names are errors, with file and line. A file may hold
// several documents. Of the built-in ones, tests ask more: an entry's first field is its name, by which it is found
// before its file is read, and its sources say the version that was read and what of the entry each shows: what adds the
// finalizer, what removes it, what is done before that, and the workload. See Aspect. A leak that the source does not show
// is Unknown, and a workload that no manifest names is left out.
//
// A type is Kind.group, or Kind alone for the core group. "*" stands for every type, "*.example.com" for every kind
// of a group, "*.*.example.com" for every kind of every group below a domain.
//
// Commands hold {type}, {namespace} and {name} for the object that carries the finalizer, and {placeholder} for what
// a pattern took; Match.Resolution fills them in, quoted for a shell where they need that, within quotes too. A command
// with a $(substitution) or a here-document is left as it is. The reader fills in what is in <angle brackets>.
//
// # Lookup
//
// Catalog.Lookup answers how it knows a name: Exact and Pattern come from the files; ByConvention is read from the
// shape of the name and the type that carries it, and says which convention; Unknown says nothing. One name may
// have several entries when several programs remove it; they are distinguished by type.
package catalog
