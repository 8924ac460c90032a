/** `sluice/sdk/host`: the parts that the server and the fake host share. It is not for plugins, and may change at any time. */
export { answerPart, joinAnswers, type AnswerPart } from './answer-parts.ts'
export type { AnyOperation } from './any-operation.ts'
export { makeSelfSigned, type KeyPair } from './certificate/self-signed.ts'
export { GlobalConfig } from '../config/global/global-config.ts'
export { expectation } from '../config/expectation.ts'
export { meantByText } from '../config/meant-by-text.ts'
export type { LoginUser } from '../config/global/login-user.ts'
export { AlikeColumns, type DatabaseKind } from './column-types.ts'
export { ERROR_HEADERS, errorReply, failure } from './error-reply.ts'
export { Job, jobNotices, type JobMeter, type JobNotices } from '../jobs/job.ts'
export { PushExists } from '../jobs/push-exists.ts'
export { ipWords } from './ip-words.ts'
export { takesText } from './json-schema.ts'
export { keptValue } from './kept-value.ts'
export { labelText } from './metrics/series-table.ts'
export { HistogramValue } from './metrics/metric-kinds.ts'
export { metricPrefix } from './metrics/metric-shape.ts'
export {
  hiddenMetrics,
  MetricTable,
  type MetricOwner,
  type MetricSnapshot,
  type MetricValue,
  type OwnedMetrics,
} from './metrics/metric-table.ts'
export { migrate, MigrationError } from './migrate.ts'
export {
  OperationRoutes,
  type EventsEntry,
  type OperationEntry,
  type OperationTarget,
  type SocketEntry,
} from './operation-routes.ts'
export { OwnTables } from './own-tables.ts'
export { protocolOfUrl } from '../plugin/protocol-traits.ts'
export { servePages, type ListedPage } from './plugin-pages.ts'
export { PlayTickets } from './play-tickets.ts'
export { ANONYMOUS, type HandledInput, type OperationPeers } from './serve-operation.ts'
export { shownDescription, shownText } from './shown-text.ts'
export { SocketTable } from './socket-table.ts'
export type { Spelling } from './spelling.ts'
export { StoredFileWriter, type WritableFile } from './storage/file-writer.ts'
export { lendFiles, type ServerStorage } from './storage/lent-files.ts'
export { LocalStorage } from './storage/local-storage.ts'
export { STORAGE_MARKER } from './storage/storage-root.ts'
export { StorageNotes } from './storage/storage-notes.ts'
