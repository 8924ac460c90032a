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
} from './config/groups.ts'
export { parseByteSize } from './config/byte-size.ts'
export { MAX_DURATION_MS, parseDuration } from './config/duration.ts'
export { PullConfig, PullRule } from './config/pull.ts'
export {
  Address,
  AutoDuration,
  ByteSize,
  Duration,
  Network,
  RegexMap,
  Secret,
  SourceUrl,
  StreamPathMap,
  WebhookUrl,
} from './config/types.ts'
export { SluiceError } from './errors/sluice-error.ts'
export {
  InvalidRequest,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamUnavailable,
} from './errors/stream-errors.ts'
export { AccessUnit } from './media/access-unit.ts'
export type {
  AudioCodec,
  AudioConfig,
  AudioTrack,
  Track,
  TrackInit,
  VideoCodec,
  VideoConfig,
  VideoTrack,
} from './media/track.ts'
export type { UnitSink } from './media/unit-sink.ts'
export type { PluginContext } from './plugin/context.ts'
export { definePlugin, type PluginConfig, type PluginDefinition } from './plugin/define-plugin.ts'
export type { Endpoints } from './plugin/endpoints.ts'
export type { HookRegistry, Hooks } from './plugin/hooks.ts'
export type { Net, TcpListener } from './plugin/net.ts'
export { addressTemplates } from './plugin/address-templates.ts'
export type { PluginEndpoints, ServerInfo } from './plugin/server-info.ts'
export type { ServiceRegistry, Services } from './plugin/services.ts'
export type { Task, TaskInit, TaskRegistry } from './plugin/tasks.ts'
export { CLIENT_LEFT, type CloseCode, type CloseReason } from './stream/close-reason.ts'
export { maskUrl } from './stream/mask-url.ts'
export type { Muxer, MuxerFormat, MuxerStart, Sink } from './stream/muxer.ts'
export type { Publisher, PublishOptions } from './stream/publisher.ts'
export type { PullEnd, PullRequest, PullService } from './stream/pull.ts'
export {
  sessionClient,
  type SessionAction,
  type SessionClient,
  type SessionInit,
  type SessionRequest,
  type SessionType,
} from './stream/session-request.ts'
export { socketSink } from './stream/socket-sink.ts'
export { checkStreamPath, isStreamPath, parseQuery } from './stream/stream-path.ts'
export type { StreamInfo, StreamState, SubscriberInfo } from './stream/stream-info.ts'
export type { StreamAuthHandler, StreamAuthRequest, StreamManager } from './stream/stream-manager.ts'
export type { Subscriber, UnitReader } from './stream/subscriber.ts'
