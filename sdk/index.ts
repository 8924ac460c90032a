export type { Generated, Kysely } from 'kysely'
export type { Migration } from 'kysely/migration'
export { Type, type Static } from 'typebox'
export {
  InheritedConfig,
  PublishConfig,
  SubscribeConfig,
  HttpConfig,
  SignedPolicyConfig,
  AdmissionWebhookConfig,
  tcpConfig,
  type TcpConfig,
  udpConfig,
  type UdpConfig,
} from './config/groups.ts'
export type { GlobalConfig } from './config/global/global-config.ts'
export type { PullProxyEntry, PushProxyEntry } from './config/global/proxy-entries.ts'
export type { S3Config } from './config/global/s3-config.ts'
export { HookConfig, Webhook } from './config/hook.ts'
export { parseByteSize } from './config/byte-size.ts'
export { MAX_DURATION_MS, parseDuration } from './config/duration.ts'
export { PullConfig, PullRule, PushConfig, PushRule } from './config/jobs.ts'
export { parsePortRange } from './config/port-range.ts'
export { RecordConfig, RecordRule } from './config/record.ts'
export {
  Address,
  AutoDuration,
  ByteSize,
  Duration,
  Network,
  PortRange,
  ProxyUrl,
  RegexMap,
  Secret,
  SourceUrl,
  StreamPathMap,
  TargetUrl,
  WebhookUrl,
} from './config/types.ts'
export { errorCode, messageOf } from './errors/error-text.ts'
export { quoted } from './errors/quoted.ts'
export { ProgramMissing } from './errors/program-missing.ts'
export { SetupLater } from './errors/setup-later.ts'
export { SluiceError } from './errors/sluice-error.ts'
export {
  InvalidRequest,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamRedirect,
  StreamUnavailable,
  Unsupported,
} from './errors/stream-errors.ts'
export { NotUnique, StoreUnavailable } from './errors/store-errors.ts'
export { assertKept } from './host/kept-value.ts'
export { StorageMissing } from './host/storage/storage-missing.ts'
export { checkStoragePath, storageName } from './host/storage-path.ts'
export { backoffMs } from './jobs/backoff.ts'
export type { Job, JobInit, JobOutcome } from './jobs/job.ts'
export type { JobProgress, JobState } from './jobs/job-progress.ts'
export type { JobStep } from './jobs/job-steps.ts'
export { JobTable, type TableJob } from './jobs/job-table.ts'
export type { JobRunner } from './jobs/job-runner.ts'
export type { PullJobs, PullSource, PullWish, RunningPull } from './jobs/pull-jobs.ts'
export type { PushJobs, PushWish, RunningPush } from './jobs/push-jobs.ts'
export { AccessUnit } from './media/access-unit.ts'
export type { Muxer, MuxerFormat, MuxerStart } from './media/muxer.ts'
export type {
  AudioCodec,
  AudioConfig,
  AudioTrack,
  DataCodec,
  DataConfig,
  DataTrack,
  MediaTrack,
  Track,
  TrackInit,
  VideoCodec,
  VideoConfig,
  VideoTrack,
} from './media/track.ts'
export type { UnitSink } from './media/unit-sink.ts'
export type { CounterCipher } from './native/counter-cipher.ts'
export { createCounterCipher, createKeystreamCipher } from './native/create-counter-cipher.ts'
export { type Ffi, loadFfi } from './native/ffi.ts'
export { type Libcrypto, loadLibcrypto, NativeContext } from './native/libcrypto.ts'
export {
  bigintOf,
  createPacketArena,
  MAX_DATAGRAM_BYTES,
  type PacketArena,
  scratchArena,
} from './native/packet-arena.ts'
export { PacedPlayer, type PacedPlayerOptions } from './playback/paced-player.ts'
export { playRecording } from './playback/play-recording.ts'
export { PlaybackClock } from './playback/playback-clock.ts'
export type { Recording, RecordingDates } from './playback/recording.ts'
export { FileBytes, type RecordingBytes } from './playback/recording-bytes.ts'
export type { DisposeOptions, DrainCause, PluginContext, ServerConfig, ServerNode } from './plugin/context.ts'
export { definePlugin, type FormerNames, type PluginConfig, type PluginDefinition } from './plugin/define-plugin.ts'
export type { Database } from './plugin/database.ts'
export type { PageForm, PluginPage } from './plugin/pages.ts'
export type { Endpoints } from './plugin/endpoints.ts'
export type { CreatedFile, DiskUsage, FilePatch, Files, FileStorage, FileWriter, WriteFailure } from './plugin/files.ts'
export type { HookOrder, HookRegistry, Hooks, Lead, NoticeName, Resolution, Undo } from './plugin/hooks.ts'
export type { Jobs, PushInit } from './plugin/jobs.ts'
export { withDeadline } from './plugin/deadline.ts'
export { LogLimit } from './plugin/log-limit.ts'
export {
  LATENCY_BUCKETS,
  type Counter,
  type Gauge,
  type GaugeInit,
  type GaugeReading,
  type Histogram,
  type HistogramInit,
  type LabelArguments,
  type MetricFamily,
  type MetricInit,
  type MetricLabels,
  type MetricRegistry,
} from './plugin/metrics.ts'
export type {
  Certificate,
  CertificateOptions,
  DialerOptions,
  ListenOptions,
  MachineAddresses,
  Net,
  TcpListener,
} from './plugin/net.ts'
export { addressTemplates } from './plugin/address-templates.ts'
export { Bytes, DurationText, Int64, parseDurationText, StreamPath, StreamPaths } from './plugin/operation-values.ts'
export type {
  Access,
  AnswerList,
  EventsOperation,
  Operation,
  OperationAnswer,
  OperationInput,
  OperationReach,
  OperationRegistry,
  OperationResult,
  RouteAccess,
  SocketOperation,
} from './plugin/operations.ts'
export type {
  ModuleInit,
  ModulePort,
  ModuleProcess,
  Processes,
  ProcessEnd,
  Program,
  ProgramInit,
} from './plugin/processes.ts'
export type { ProgramCommand } from './plugin/program-command.ts'
export { viewedList } from './plugin/viewed-list.ts'
export type { ProtocolTraits, SchemeTraits } from './plugin/protocol-traits.ts'
export type { PluginDirectory, PluginInfo, RuleGroups, RuleSection } from './plugin/plugins.ts'
export type { Pictures } from './plugin/pictures.ts'
export type { PluginEndpoints, ServerInfo } from './plugin/server-info.ts'
export type { ServiceRegistry, Services } from './plugin/services.ts'
export type { EndedTask, Task, TaskInit, TaskRegistry } from './plugin/tasks.ts'
export { parseTime, parseTimeRange, TIME_RANGE, type TimeRange } from './plugin/time-range.ts'
export type { DatagramHandler, UdpFlow, UdpListener, UdpPeer } from './plugin/udp.ts'
export { WorkQueue, type TurnOptions, type WorkQueueLimits } from './plugin/work-queue.ts'
export { WriteBehind, type WriteBehindOptions } from './plugin/write-behind.ts'
export {
  PipedProgram,
  type PipedProgramEnd,
  type PipedProgramInit,
  type ProgramOutput,
} from './program/piped-program.ts'
export { runProgram, type ProgramResult, type ProgramRunInit } from './program/run-program.ts'
export { Supervisor, type RunFailure, type SupervisorOptions } from './program/supervisor.ts'
export {
  pagedRecords,
  RecordCatalog,
  recordCatalogView,
  RecordDeletion,
  recordDeletionFilter,
  RecordFile,
  recordFileView,
  recordFilter,
  recordPageOf,
  RecordQuery,
  recordType,
} from './recording/recording-schemas.ts'
export { addRecordingOperations } from './recording/recording-operations.ts'
export { createFormatWriter } from './recording/format-writer.ts'
export type { EventLevel, ListedPage, RecordedEvent, RecordedFile, RecordingEvent } from './recording/recorded-file.ts'
export type { RecordingEnd, RecordingWriter, RecordService, ResumedFile } from './recording/record-service.ts'
export type { RecordingTag, RecordingTags, TagFilter, TagInit } from './recording/recording-tags.ts'
export type {
  ActiveRecording,
  CatalogueEntry,
  EventInit,
  PlaybackInit,
  RecordedFilter,
  RecordingInit,
  Recordings,
  RecordingSource,
} from './recording/recordings.ts'
export { CLIENT_LEFT, type CloseCode, type CloseReason } from './stream/close-reason.ts'
export type { Dialer, DialTarget } from './stream/dialer.ts'
export { maskTarget, maskUrl, maskUrls } from './stream/mask-url.ts'
export type { PlayAdmission } from './stream/play-admission.ts'
export { publishSource } from './stream/publish-source.ts'
export type { Publisher, PublishObserver, PublishOptions } from './stream/publisher.ts'
export type { PushRequest, PushService } from './stream/push.ts'
export { pushStream, type PushTarget } from './stream/push-stream.ts'
export type { JobReport, PullEnd, PullRequest, PullService } from './stream/pull.ts'
export {
  type AcceptedCodecs,
  sessionClient,
  type SessionAction,
  type SessionClient,
  type SessionInit,
  type SessionRequest,
  type SessionType,
} from './stream/session-request.ts'
export { socketSink, type Sink } from './stream/sink.ts'
export type { SourceControl, SourcePosition, Talk } from './stream/source-control.ts'
export { checkStreamPath, isStreamPath, parseQuery } from './stream/stream-path.ts'
export type { StreamInfo, StreamState, SubscriberInfo } from './stream/stream-info.ts'
export type { AlarmNotice, StreamTask, StreamTaskEnd } from './stream/stream-task.ts'
export type {
  StreamAuthHandler,
  StreamAuthRequest,
  StreamManager,
  StreamTicket,
  SubscribeOptions,
} from './stream/stream-manager.ts'
export type { Subscriber, UnitReader } from './stream/subscriber.ts'
export { untilAborted } from './stream/until-aborted.ts'
