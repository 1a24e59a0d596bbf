package live

// SetMaxAnswerBytes lets a test do with answers of fewer bytes.
func (s *Server) SetMaxAnswerBytes(n int64) { s.maxAnswerBytes = n }
