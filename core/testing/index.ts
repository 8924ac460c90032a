export { createTestServer, type TestLogRecord, type TestServer, type TestServerOptions } from './test-server.ts'
