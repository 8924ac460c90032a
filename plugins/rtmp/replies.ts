import type { AmfObject, AmfValue } from 'sluice/sdk/media'
import { newAmfObject } from 'sluice/sdk/media'
import type { Command } from './wire/message/command.ts'

/** Codes of `onStatus` that peers act on (RTMP 1.0 §7.2; FMS's list of NetStatus codes). */
export type StatusCode =
  | 'NetConnection.Connect.Rejected'
  | 'NetStream.Publish.Start'
  | 'NetStream.Publish.BadName'
  | 'NetStream.Publish.Denied'
  | 'NetStream.Publish.Failed'
  | 'NetStream.Unpublish.Success'
  | 'NetStream.Play.Reset'
  | 'NetStream.Play.Start'
  | 'NetStream.Play.Stop'
  | 'NetStream.Play.StreamNotFound'
  | 'NetStream.Play.Failed'
  | 'NetStream.Pause.Notify'
  | 'NetStream.Unpause.Notify'
  | 'NetStream.Seek.Notify'
  | 'NetStream.Seek.Failed'
  | 'NetStream.Failed'

type Level = 'status' | 'error'

/** The version in the answer to `connect`; clients of FMS 3 and later expect these numbers. */
const FMS_VERSION = 'FMS/3,5,7,7009'
const CAPABILITIES = 31
/** Enhanced RTMP v2, capsEx: reconnect requests no, multitrack yes, ModEx yes, nanosecond offsets no. */
export const CAPS_EX_MULTITRACK = 0x02
const CAPS_EX = CAPS_EX_MULTITRACK | 0x04

function amfObject(properties: Readonly<Record<string, AmfValue>>): AmfObject {
  return Object.assign(newAmfObject(), properties)
}

function command(name: string, transactionId: number, args: readonly AmfValue[], amf3: boolean): Command {
  return { kind: 'command', name, transactionId, commandObject: null, args, amf3 }
}

/** `_result` of a command that asked for one. */
export function result(to: Command, ...args: readonly AmfValue[]): Command {
  return command('_result', to.transactionId, args, to.amf3)
}

/** `_result` of `connect`. */
export function connected(to: Command, objectEncoding: number): Command {
  const properties = amfObject({ fmsVer: FMS_VERSION, capabilities: CAPABILITIES, mode: 1, capsEx: CAPS_EX })
  const information = amfObject({
    level: 'status',
    code: 'NetConnection.Connect.Success',
    description: 'Connection succeeded.',
    objectEncoding,
  })
  return { ...result(to, information), commandObject: properties }
}

/** `_error` of `connect`. */
export function refused(to: Command, description: string): Command {
  const information = amfObject({ level: 'error', code: 'NetConnection.Connect.Rejected', description })
  return command('_error', to.transactionId, [information], to.amf3)
}

export function onStatus(level: Level, code: StatusCode, description: string, amf3: boolean): Command {
  return command('onStatus', 0, [amfObject({ level, code, description })], amf3)
}

/**
 * `onStatus` that sends a player or encoder to another address, as Flash Media Server's `rejectConnection` with a redirect
 * does it on connections: those that know `ex.code` 302 follow, to others it is a refusal.
 */
export function redirected(url: string, description: string, amf3: boolean): Command {
  const information = { level: 'error', code: 'NetConnection.Connect.Rejected', description }
  return command('onStatus', 0, [amfObject({ ...information, ex: amfObject({ code: 302, redirect: url }) })], amf3)
}

/** `onFCPublish`, `onFCUnpublish` and `onFCSubscribe`, which encoders of Flash's time wait for. */
export function onFc(name: string, code: StatusCode, description: string, amf3: boolean): Command {
  return command(name, 0, [amfObject({ level: 'status', code, description })], amf3)
}
