package live

// SetMaxAnswerBytes lets a test do with answers of fewer bytes.
func (s *Server) SetMaxAnswerBytes(n int64) { s.answerBytes.limit = n }

// BytesBeingRead are those of answers that are not closed yet.
func (s *Server) BytesBeingRead() int64 { return s.answerBytes.reading.Load() }

// LimitRetryPause is the pause before a watch is tried again.
var LimitRetryPause = limitRetryPause
