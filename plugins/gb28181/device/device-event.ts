import type { SipRequest } from './sip/message.ts'

/** An event of a device. */
export type DeviceEvent =
  /** It has registered; or registered again. */
  | { readonly kind: 'registered'; readonly expires: number; readonly serverVersion: string | undefined }
  /** A registration was refused or not answered; `status` is undefined in the latter case. */
  | { readonly kind: 'refused'; readonly status: number | undefined }
  | { readonly kind: 'unregistered' }
  /** The connection to the server has ended. */
  | { readonly kind: 'disconnected' }
  /** A keepalive was answered with a status, or not at all. */
  | { readonly kind: 'keepalive'; readonly status: number | undefined }
  | { readonly kind: 'invite'; readonly channelId: string; readonly session: string; readonly status: number }
  /** Media are sent from now on. */
  | { readonly kind: 'media'; readonly channelId: string; readonly session: string }
  /** A session has ended, by the platform or by the device. */
  | { readonly kind: 'bye'; readonly channelId: string; readonly session: string; readonly by: 'platform' | 'device' }
  /** The platform could not be reached, or has ended the connection. */
  | { readonly kind: 'media-lost'; readonly channelId: string; readonly session: string; readonly reason: string }
  | { readonly kind: 'subscribed'; readonly event: string; readonly expires: number }
  /** A control was obeyed. */
  | { readonly kind: 'control'; readonly cmdType: string; readonly channelId: string; readonly what: string }
  | { readonly kind: 'snapshot'; readonly url: string; readonly status: number | undefined }

/** A request that a device has received. */
export type ReceivedRequest = {
  readonly method: string
  /** The user in its URI. */
  readonly user: string
  /** Of a body of MANSCDP: its outermost element, and its fields; empty where there is none. */
  readonly kind: string
  readonly cmdType: string
  readonly sn: string
  readonly deviceId: string
  readonly message: SipRequest
}
