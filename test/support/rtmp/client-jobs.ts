import type { CloseReason, Dialer, PullEnd, Subscriber } from 'sluice/sdk'
import { pullRequest, pushRequest, ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtmp from '../../../plugins/rtmp/index.ts'
import { keep } from '../../peers/lifetime.ts'

/** Where the streams of these tests are published. */
export const SOURCE_PATH = 'live/source'

export type RtmpServer = TestServer<unknown>

/** Starts a server with RTMP and rules of pulls and pushes, which ends with the test. */
export async function startRtmpServer(config: Record<string, unknown> = {}): Promise<RtmpServer> {
  const server = await createTestServer(rtmp, { beside: ['relay'], config })
  keep({ close: () => server.stop() })
  return server
}

/** Publishes a stream on the server that goes on until the test is over. */
export async function publishScripted(server: RtmpServer): Promise<void> {
  const script = new ScriptedPublisher(await server.streams.publish(sessionInit(SOURCE_PATH)))
  const timer = setInterval(() => script.write(1), 20)
  keep({ close: () => clearInterval(timer) })
}

/** What the host gives to a pull or push besides the address. */
export type ClientJobOptions = { readonly dial?: Dialer; readonly loop?: number; readonly streamPath?: string }

/** A push as the host asks for it. */
export type AskedPush = {
  readonly result: Promise<CloseReason | Error>
  readonly begun: Promise<Subscriber>
  readonly steps: readonly string[]
  stop(): void
}

/** Pushes the stream out, until the test is over at the latest. */
export function askForPush(server: RtmpServer, url: string, options: ClientJobOptions = {}): AskedPush {
  const stop = new AbortController()
  keep({ close: () => stop.abort() })
  const begun = Promise.withResolvers<Subscriber>()
  const steps: string[] = []
  const request = pushRequest({
    streamPath: SOURCE_PATH,
    ...options,
    url,
    signal: stop.signal,
    begun: begun.resolve,
    step: (name) => void steps.push(name),
  })
  const result = server.ctx.services
    .get('push:rtmp')!
    .push(request)
    .catch((error: Error) => error)
  return { result, begun: begun.promise, steps, stop: () => stop.abort() }
}

/** A pull as the host asks for it. */
export type AskedPull = { readonly result: Promise<PullEnd | Error>; readonly steps: readonly string[]; stop(): void }

/** Pulls a source, until the test is over at the latest. */
export function askForPull(server: RtmpServer, url: string, options: ClientJobOptions = {}): AskedPull {
  const stop = new AbortController()
  keep({ close: () => stop.abort() })
  const steps: string[] = []
  const request = pullRequest({
    streamPath: SOURCE_PATH,
    ...options,
    url,
    signal: stop.signal,
    step: (name) => void steps.push(name),
  })
  const result = server.ctx.services
    .get('pull:rtmp')!
    .pull(request)
    .catch((error: Error) => error)
  return { result, steps, stop: () => stop.abort() }
}
