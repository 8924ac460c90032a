/** `sluice/sdk/http`: what plugins need that serve media over HTTP and WebSocket, or fetch it. */
export { ClientAuthorization } from './auth/client-authorization.ts'
export { createNonce, NONCE_LIFETIME_MS } from './auth/nonce.ts'
export { quote, quoteIfNeeded, splitUnquoted, unquote } from './auth/quoted-text.ts'
export {
  checkAuthorization,
  createChallenges,
  createDigestChallenge,
  parseAuthorization,
  type Account,
  type Authorization,
  type AuthorizationResult,
  type SignedRequest,
} from './auth/server-authorization.ts'
export type { DigestAlgorithm } from './auth/digest.ts'
export type { ByteRange } from './byte-range.ts'
export { attachmentDisposition } from './content-disposition.ts'
export { dialHttp, httpDispatcher, type DialedOptions } from './dialed.ts'
export { contentRangeOf, HttpBytes } from './http-bytes.ts'
export { serveLive, serveWebSocket } from './live/serve-live.ts'
export type { LiveOutput, SocketOutput } from './live/live-output.ts'
export {
  carrierOf,
  decodePathPart,
  isNavigation,
  requestClient,
  requestUrl,
  type ForwardedRequest,
  type RoutedRequest,
} from './request.ts'
export { servePageFile, type PageFile } from './page-files.ts'
export { servePageFolder, type PageFolder } from './page-folder.ts'
export type { PageSources } from './page-policy.ts'
export { sendRanged, type RangedAnswer, type RangedContent } from './ranged-content.ts'
export { sendRecording, type RecordingAnswer } from './send-recording.ts'
export { networkReason, SourceError } from './source-error.ts'
export {
  SourceRequests,
  type AnswerHead,
  type ByteSpan,
  type SourceCall,
  type SourceRequest,
} from './source-requests.ts'
export { takeOver, type GivingResponse } from './take-over.ts'
export { WebhookClient, type WebhookAnswer, type WebhookRequest } from './webhook-client.ts'
export { frameBinaryMessage, frameTextMessage } from './websocket-frame.ts'
