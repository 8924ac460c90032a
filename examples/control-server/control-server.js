/**
 * A control server: Sluice asks it about each session before it begins, and tells it when the session has ended.
 *
 *   SECRET=change-me node examples/control-server/control-server.js
 *   npm start -- -c examples/control-server/config.yaml
 *
 * Then `rtmp://localhost/live/any?user=anna&word=open-sesame` publishes anna's stream, at live/anna; everybody may play
 * what is not below private/. `GET /` on this server lists the sessions it knows of.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { HOST = '127.0.0.1', PORT = '9000', SECRET = 'change-me' } = process.env
const MAX_BODY_BYTES = 64 * 1024

/** Who may publish: each has a word to say, and a stream of their own. */
const PUBLISHERS = new Map([
  ['anna', { word: 'open-sesame', streamPath: 'live/anna' }],
  ['ben', { word: 'swordfish', streamPath: 'live/ben' }],
])
/** How long a session should last; recorded by Sluice, not enforced. */
const LIFETIME_MS = 4 * 60 * 60 * 1000

/** The sessions that were let in and have not ended, by the delivery that opened them. */
const sessions = new Map()

/** Whether this session may begin. Replace this by what you know of your users. */
function decide({ action, stream_path: streamPath, query }) {
  if (action === 'play') {
    if (streamPath.startsWith('private/')) return { allowed: false, reason: 'nobody plays private streams' }
    return { allowed: true, lifetime_ms: LIFETIME_MS }
  }
  const publisher = PUBLISHERS.get(query.user)
  if (publisher === undefined || query.word !== publisher.word) {
    return { allowed: false, reason: 'unknown user, or the word is wrong' }
  }
  return { allowed: true, stream_path: publisher.streamPath, lifetime_ms: LIFETIME_MS }
}

/** Whether the request comes from who knows the secret. The signature is over the body as sent, before it is parsed. */
function isGenuine(body, signature = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function readBody(request) {
  const parts = []
  let sizeBytes = 0
  for await (const part of request) {
    sizeBytes += part.length
    if (sizeBytes > MAX_BODY_BYTES) throw new Error('the body is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function reply(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'GET') return reply(response, 200, [...sessions.values()])
    const body = await readBody(request)
    if (!isGenuine(body, request.headers['x-service-signature'])) return reply(response, 401, {})
    const event = JSON.parse(body.toString())
    const { action, protocol, stream_path: streamPath, client } = event

    if (request.headers['x-service-event'] === 'admission.closing') {
      sessions.delete(event.session_id)
      console.log(`${action} of ${streamPath} by ${protocol} has ended`)
      return reply(response, 200, {})
    }
    const answer = decide(event)
    // Protocols without lasting sessions (flv, hls, mp4) send no notice of their end.
    const isTold = protocol === 'rtmp' || protocol === 'srt' || protocol === 'webrtc'
    if (answer.allowed && isTold) {
      sessions.set(request.headers['x-service-delivery'], { action, protocol, streamPath, ip: client.ip })
    }
    console.log(`${action} of ${streamPath} by ${protocol}: ${answer.allowed ? 'allowed' : answer.reason}`)
    return reply(response, 200, answer)
  } catch (error) {
    console.error(error.message)
    return reply(response, 400, {})
  }
})

server.listen(Number(PORT), HOST, () => console.log(`control server on http://${HOST}:${server.address().port}/`))
