package cluster

// EtcdAlarm is an alarm that a member of etcd raised. It holds until someone disarms it.
type EtcdAlarm struct {
	// Type is EtcdNoSpace or EtcdCorrupt.
	Type string
	// Member is the member as "etcdctl member list" names it, empty where the alarm names none.
	Member string
}

// The alarms of etcd (go.etcd.io/etcd/api/v3/etcdserverpb/rpc.proto, AlarmType). With NOSPACE etcd
// rejects everything that takes space, with CORRUPT all reads and writes
// (go.etcd.io/etcd/server/v3/etcdserver/apply, applierV3Capped and applierV3Corrupt).
const (
	EtcdNoSpace = "NOSPACE"
	EtcdCorrupt = "CORRUPT"
)

// EtcdAlarms are the alarms of etcd, where a dump has them. An API server does not report any.
func (v *View) EtcdAlarms() []EtcdAlarm {
	if dump, ok := v.shared.source.(interface{ EtcdAlarms() []EtcdAlarm }); ok {
		return dump.EtcdAlarms()
	}
	return nil
}
