/* global AudioContext, clearInterval, document, location, navigator, RTCRtpSender, setInterval, URL */

import { drawnMedia } from './drawn-media.js'
import { WebRtcSession } from './client.js'

const STATUS_MS = 1000
const WIDTH = 1280
const HEIGHT = 720
const PICTURES_PER_SECOND = 30
/** A quarter of the bits for half of the width and height. */
const LAYERS = [
  { rid: 'q', scaleResolutionDownBy: 4, share: 0.05 },
  { rid: 'h', scaleResolutionDownBy: 2, share: 0.2 },
  { rid: 'f', scaleResolutionDownBy: 1, share: 0.75 },
]
/** Formats that repair others, and hold no pictures of their own. */
const REPAIRS = /\/(?:rtx|red|ulpfec|flexfec-03)$/u

/** One half of the page: a form that starts a session and ends it, its picture, and what is to be said of it. */
class Panel {
  #form
  #button
  #video
  #status
  #open
  #session
  #timer
  /** Bytes and time of the last look. */
  #before

  /** @param open begins a session with the values of the form */
  constructor(section, open) {
    this.#form = section.querySelector('form')
    this.#button = section.querySelector('button')
    this.#video = section.querySelector('video')
    this.#status = section.querySelector('[role=status]')
    this.#open = open
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (this.#session === undefined) void this.#start()
      else this.#stop('Ended')
    })
  }

  async #start() {
    this.#say('Connecting …')
    this.#button.textContent = 'Stop'
    const session = new WebRtcSession((reason) => this.#stop(`Ended: ${reason}`))
    this.#session = session
    try {
      await this.#open(session, Object.fromEntries(new FormData(this.#form)), this.#video)
      if (this.#session !== session) return session.close()
      this.#timer = setInterval(() => void this.#look(session), STATUS_MS)
    } catch (error) {
      if (this.#session === session) this.#stop(`Refused: ${error.status ?? ''} ${error.message}`)
    }
  }

  #stop(text) {
    clearInterval(this.#timer)
    this.#session?.close()
    this.#session = undefined
    this.#before = undefined
    for (const track of this.#video.srcObject?.getTracks() ?? []) track.stop()
    this.#video.srcObject = null
    this.#button.textContent = 'Start'
    this.#say(text)
  }

  async #look(session) {
    const reports = [...(await session.connection.getStats()).values()]
    if (this.#session !== session) return
    const media = reports.filter(({ type, kind }) => /^(?:in|out)bound-rtp$/u.test(type) && kind === 'video')
    const sum = (field) => media.reduce((total, report) => total + (report[field] ?? 0), 0)
    const now = { bytes: sum('bytesSent') + sum('bytesReceived'), atMs: performance.now() }
    const kbits = this.#before && ((now.bytes - this.#before.bytes) * 8) / (now.atMs - this.#before.atMs)
    this.#before = now
    const codec = reports.find(({ id }) => id === media[0]?.codecId)?.mimeType
    const pair = reports.find(({ type, nominated }) => type === 'candidate-pair' && nominated)
    const top = media.toSorted((one, other) => (other.frameWidth ?? 0) - (one.frameWidth ?? 0))[0]
    this.#say(
      [
        session.connection.connectionState,
        codec,
        top?.frameWidth && `${top.frameWidth}×${top.frameHeight}`,
        top?.framesPerSecond !== undefined && `${top.framesPerSecond} pictures/s`,
        kbits !== undefined && `${Math.round(kbits)} kbit/s`,
        pair?.currentRoundTripTime !== undefined && `round trip ${Math.round(pair.currentRoundTripTime * 1000)} ms`,
        top?.packetsLost > 0 && `${top.packetsLost} packets lost`,
        top?.freezeCount > 0 && `${top.freezeCount} freezes`,
      ]
        .filter(Boolean)
        .join(' · '),
    )
  }

  #say(text) {
    this.#status.textContent = text
  }
}

async function publish(session, { target, source, codec, bitrate, layers }, video) {
  const media = await mediaOf(source)
  // It was stopped while the browser asked whether it may have the camera.
  if (session.connection.signalingState === 'closed') return media.getTracks().forEach((track) => track.stop())
  video.srcObject = media
  await session.publish(
    addressOf('push', target),
    media,
    (transceiver) => {
      if (transceiver.sender.track.kind !== 'video') return
      prefer(transceiver, codec)
      const { sender } = transceiver
      const parameters = sender.getParameters()
      for (const encoding of parameters.encodings) {
        const share = LAYERS.find(({ rid }) => rid === encoding.rid)?.share ?? 1
        encoding.maxBitrate = Number(bitrate) * 1000 * share
      }
      void sender.setParameters(parameters)
    },
    layers === '3' ? LAYERS.map(({ rid, scaleResolutionDownBy }) => ({ rid, scaleResolutionDownBy })) : undefined,
  )
}

async function mediaOf(source) {
  if (source === 'camera')
    return navigator.mediaDevices.getUserMedia({ video: { width: WIDTH, height: HEIGHT }, audio: true })
  if (source === 'screen') return navigator.mediaDevices.getDisplayMedia({ video: true, audio: true })
  return drawnMedia({ width: WIDTH, height: HEIGHT, picturesPerSecond: PICTURES_PER_SECOND, sound: new AudioContext() })
}

/** Puts one codec before all others, with what repairs it. */
function prefer(transceiver, mimeType) {
  if (mimeType === '') return
  const { codecs } = RTCRtpSender.getCapabilities('video')
  const isFirst = (codec) => codec.mimeType === mimeType
  transceiver.setCodecPreferences([...codecs.filter(isFirst), ...codecs.filter((codec) => !isFirst(codec))])
}

/** The address of a stream on this server, whatever path a proxy has the server below. */
function addressOf(action, target) {
  const [streamPath, query] = target.replace(/^\/+/u, '').split(/\?(.*)/su, 2)
  const path = streamPath.split('/').map(encodeURIComponent).join('/')
  const url = new URL(`${action}/${path}`, new URL('.', import.meta.url))
  url.search = query ?? ''
  return url.href
}

for (const mimeType of new Set(RTCRtpSender.getCapabilities('video').codecs.map((codec) => codec.mimeType))) {
  if (REPAIRS.test(mimeType)) continue
  const option = document.createElement('option')
  option.value = mimeType
  option.textContent = mimeType.replace('video/', '')
  document.getElementById('codec').append(option)
}
const panels = { publish, subscribe: (session, { target }, video) => session.play(addressOf('play', target), video) }
const wanted = location.hash.slice(1)
for (const [id, open] of Object.entries(panels)) {
  const section = document.getElementById(id)
  section.hidden = wanted in panels && wanted !== id
  panels[id] = new Panel(section, open)
}
