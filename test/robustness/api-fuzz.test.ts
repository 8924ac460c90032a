import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { assert, asyncProperty, pre } from 'fast-check'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { SchemaChecks, spellingsOf, type OpenApi, type Spelled } from '../support/api/openapi.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { isSoak } from '../support/soak.ts'
import { ApiClient, type ApiRequest, type ApiResponse } from './support/api-client.ts'
import { requestsFor } from './support/api-requests.ts'
import { HealthySession } from './support/healthy-session.ts'
import { ServerProcess } from './support/server-process.ts'

/** In everything that is secret, and in no request of the fuzz. */
const PLANTED = 'planted7f3a'
const NOWHERE = '127.0.0.1:1'
const FILM_SECONDS = 30
const configOf = (folder: string) => `
global:
  loglevel: debug
  publish: { key: ${PLANTED}-publish }
  subscribe: { key: ${PLANTED}-subscribe, waittimeout: 300ms }
  signed_policy: { secret: ${PLANTED}-policy }
  admission_webhook: { url: "http://user:${PLANTED}@${NOWHERE}/hook?token=${PLANTED}", secret: ${PLANTED}-webhook }
  admin: { users: [{ username: root, password: ${PLANTED}-password, role: admin }] }
  armed: true
  hook:
    default: { url: "http://user:${PLANTED}@${NOWHERE}/?t=${PLANTED}", headers: { X: ${PLANTED} }, savealarm: true }
  streamalias: { '^aliased/(.+)$': 'live/target?token=${PLANTED}' }
  pull: { folders: ['${folder}'] }
  pullproxy:
    - { id: 7, name: camera, streampath: cam/a, pull: { url: "rtsp://admin:${PLANTED}@${NOWHERE}/1?token=${PLANTED}" } }
  pushproxy:
    - { id: 8, name: platform, streampath: live/pushed, push: { url: "rtmp://${NOWHERE}/live2/${PLANTED}" } }
rtmp:
  onsub: { pull: { '^cam/b$': "rtmp://user:${PLANTED}@${NOWHERE}/app/a?token=${PLANTED}" } }
  onpub: { push: { '^live/healthy$': "rtmp://user:${PLANTED}@${NOWHERE}/app/${PLANTED}" } }
mp4: { onsub: { pull: { '^film/.+$': film.mp4 } } }
rtsp: { onsub: { pull: { '^cam/d$': "rtsp://user:${PLANTED}@${NOWHERE}/4" } } }
`
/** For each operation. */
const RUNS = isSoak ? 400 : 10
/** What comes of it when other servers are told of that are not there. */
const FAILED_JOB = /^the (?:pull|push|record) failed: /u
/** They end the run, or what it stands on. */
const EXCLUDED = /^POST \/api\/(?:shutdown|restart|config\/file\/update)/u
/** They are there to tell what is secret, to admins. */
const TELLING = /^GET \/api\/config\/file$/u

describe('the API and requests of all kinds', () => {
  let folder: string
  let server: ServerProcess
  let healthy: HealthySession
  let client: ApiClient
  let operations: readonly Spelled[]
  let checks: SchemaChecks
  /** Ids of sessions and tasks that are to go on. */
  let healthyIds: readonly string[]

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-fuzz-'))
    const video = { size: '64x64' } as const
    await makeTestFile({ url: path.join(folder, 'film.mp4'), durationSeconds: FILM_SECONDS, video })
    server = await ServerProcess.start(configOf(folder))
    healthy = await HealthySession.start(server)
    client = new ApiClient(server.ports.http)
    const document = await get<OpenApi>('/api/openapi.json')
    operations = spellingsOf(document)
    checks = new SchemaChecks(document)
    const subscribers = await get<{ data: readonly { readonly id: number }[] }>('/api/subscribers')
    const tasks = await get<object>('/api/task/tree')
    const pointers = [...JSON.stringify(tasks).matchAll(/"pointer":"(\d+)"/gu)].map(([, id = '']) => id)
    healthyIds = [...subscribers.data.map(({ id }) => String(id)), ...pointers]
    await plant()
  })

  after(async () => {
    client?.close()
    healthy?.close()
    await server?.stop()
    if (folder) await rm(folder, { recursive: true })
  })

  async function get<Body>(target: string): Promise<Body> {
    const { text } = await client.ask({ method: 'GET', target, headers: {}, body: undefined })
    return JSON.parse(text) as Body
  }

  /** Has the server keep secrets that clients tell it. */
  async function plant(): Promise<void> {
    const bodies = {
      '/api/stream/alias': { streamPath: `live/target?token=${PLANTED}`, alias: 'live/planted' },
      '/api/proxy/pull/add': { pullURL: `rtsp://user:${PLANTED}@${NOWHERE}/2`, streamPath: 'cam/c', name: 'added' },
      '/api/proxy/push/add': { pushURL: `rtmp://${NOWHERE}/app/${PLANTED}`, streamPath: 'live/sent', name: 'added' },
      '/api/stream/pull': { remoteURL: `rtmp://user:${PLANTED}@${NOWHERE}/app/a?token=${PLANTED}` },
      '/rtmp/api/push/live/healthy': { remoteURL: `rtmp://${NOWHERE}/app/${PLANTED}-2` },
    }
    for (const [target, body] of Object.entries(bodies)) {
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await client.ask({ method: 'POST', target, headers, body: JSON.stringify(body) })
      expect(status, text).to.be.oneOf([200, 502])
    }
  }

  /** What no answer may be. */
  function problemsOf({ method, path, operation }: Spelled, { target }: ApiRequest, response: ApiResponse): string[] {
    const { status, type, headers, text } = response
    const tells = `${headers}\n${text}`.includes(PLANTED) && !TELLING.test(`${method} ${path}`)
    const leaks = tells ? ['it tells a secret'] : []
    if (/x-injected|set-cookie/iu.test(headers)) leaks.push('it has a header of the client')
    if (status === 500 || text.includes('"internal error"')) return [...leaks, 'it does not know what went wrong']
    if (status === 101) return '101' in operation.responses ? leaks : [...leaks, 'it is a WebSocket']
    const described = operation.responses[status] ?? operation.responses['default']
    const isOtherwise = /[?&]format=(?:yaml|json)/u.test(target)
    if (status === 204 || (status === 200 && isOtherwise)) return leaks
    // Events are described by what they are as JSON.
    const isEvents = type === 'text/event-stream'
    const schema = described?.content?.[isEvents ? 'application/json' : type]?.schema
    if (schema === undefined) return [...leaks, `it is ${status} and ${type}, which nobody says`]
    const told = isEvents ? /^data: (.*)$/mu.exec(text)?.[1] : text
    if (told === undefined) return leaks
    const value: unknown = isEvents || type.endsWith('json') ? JSON.parse(told) : told
    const problem = checks.problemOf(schema, value)
    return problem === undefined ? leaks : [...leaks, problem]
  }

  it('know what goes wrong, hang nowhere, tell no secrets, and harm nobody', async () => {
    const fuzzed = operations.filter(({ method, path }) => !EXCLUDED.test(`${method} ${path}`))
    expect(fuzzed.length).to.be.greaterThan(30)
    for (const spelled of fuzzed) {
      const property = asyncProperty(requestsFor(spelled), async (request) => {
        pre(!harms(request))
        const response = await client.ask(request)
        const problems = problemsOf(spelled, request, response)
        expect(problems, `${response.status} ${response.text.slice(0, 500)}`).to.eql([])
      })
      // What may be paused and sought in, as long as nobody stops it, or makes its path the alias of another.
      const viewer = new FlvViewer(`http://127.0.0.1:${server.ports.http}/flv/film/a.flv`)
      await viewer.status
      await assert(property, { numRuns: RUNS })
      viewer.close()
    }
    await healthy.expectUnharmed()
    expect(server.exitCode).to.equal(null)
    const { lines } = server
    const errors = lines.filter(({ level }) => level === 'error' || level === 'fatal')
    expect(errors.filter(({ msg, err }) => err !== undefined || !FAILED_JOB.test(msg))).to.eql([])
    expect(lines.filter((line) => JSON.stringify(line).includes(PLANTED))).to.eql([])
  })

  /** Whether it is for the sessions that are to go on. */
  function harms({ target, body = '' }: ApiRequest): boolean {
    if (`${target} ${body}`.includes('healthy')) return true
    const [path = ''] = target.split('?')
    return (
      /\/(?:subscribe|task)\//u.test(path) &&
      path.split(/[^0-9]+/u).some((id) => healthyIds.includes(String(Number(id))))
    )
  }
})
