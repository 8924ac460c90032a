// Text, for it runs in a browser's page, whose types are not those of this project.

/** How wide and high a drawn bit is, and how many there are: of a number, of a clock in milliseconds, of a sum of both. */
const [BIT_PIXELS, NUMBER_BITS, CLOCK_BITS, SUM_BITS] = [16, 16, 24, 8]
/**
 * Enough of an encoded picture to tell it from its neighbours, and no more than the smallest has: servers write other things at its
 * beginning than browsers do.
 */
export const END_BYTES = 4

/**
 * Publishes a canvas with a tone by WHIP, and plays by WHEP. Pictures carry their number and when they were drawn, in a
 * code of black and white squares with a copy that is inverted and a sum, so that what an encoder or decoder has spoilt is
 * not read. What is sent and received is known by names of the encoded pictures, before and after the network.
 */
export const PAGE_SCRIPT = `
const BITS = ${NUMBER_BITS + CLOCK_BITS + SUM_BITS}
const [SIZE, COLUMNS] = [${BIT_PIXELS}, 20]
const CLOCK = 2 ** ${CLOCK_BITS}
const now = () => Math.floor(performance.now()) % CLOCK
const sumOf = (number, clock) => (number * 7 + clock * 13) % 251
const bitOf = (value, bit) => Math.floor(value / 2 ** bit) % 2
const errors = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)))

const peers = []

async function start(peer, url) {
  await peer.start(url)
  return peers.push(peer) - 1
}

async function exchange(peer, url) {
  await peer.setLocalDescription(await peer.createOffer())
  await new Promise((resolve) => {
    if (peer.iceGatheringState === 'complete') resolve()
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve()
  })
  const headers = { 'content-type': 'application/sdp' }
  const response = await fetch(url, { method: 'POST', headers, body: peer.localDescription.sdp })
  const text = await response.text()
  if (response.status !== 201) throw new Error(response.status + ' ' + text)
  await peer.setRemoteDescription({ type: 'answer', sdp: text })
  return new URL(response.headers.get('location'), url).href
}

function squares(draw) {
  for (let bit = 0; bit < BITS; bit++) {
    const [x, y] = [(bit % COLUMNS) * SIZE, Math.floor(bit / COLUMNS) * 2 * SIZE]
    draw(bit, x, y)
  }
}

/** Notes a name of each encoded picture that passes: its end, with "key" before that of a keyframe. */
function watch(endpoint, ends) {
  const { readable, writable } = endpoint.createEncodedStreams()
  const transform = (frame, controller) => {
    const end = Array.from(new Uint8Array(frame.data).slice(-${END_BYTES})).join(' ')
    ends.push(frame.type === 'key' ? 'key ' + end : end)
    controller.enqueue(frame)
  }
  readable.pipeThrough(new TransformStream({ transform })).pipeTo(writable).catch(() => {})
}

class Publishing {
  drawn = 0
  sent = []
  constructor(init) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: init.width, height: init.height })
    this.context = canvas.getContext('2d')
    const stream = canvas.captureStream(0)
    const [track] = stream.getVideoTracks()
    this.timer = setInterval(() => {
      this.draw(canvas)
      track.requestFrame()
    }, 1000 / init.fps)
    this.peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', encodedInsertableStreams: !init.rids })
    const encodings = init.rids ? init.rids.map((rid, index) => ({ rid, scaleResolutionDownBy: 2 ** (init.rids.length - 1 - index) })) : [{}]
    const sender = this.peer.addTransceiver(track, { direction: 'sendonly', streams: [stream], sendEncodings: encodings })
    if (!init.rids) watch(sender.sender, this.sent)
    const { codecs } = RTCRtpSender.getCapabilities('video')
    const chosen = codecs.filter(({ mimeType, sdpFmtpLine = '' }) =>
      mimeType === 'video/' + init.codec && (init.codec !== 'H264' || /packetization-mode=1/.test(sdpFmtpLine)))
    sender.setCodecPreferences([...chosen, ...codecs.filter(({ mimeType }) => mimeType === 'video/rtx')])
    if (!init.sound) return
    const sound = this.peer.addTransceiver(this.tone(), { direction: 'sendonly', streams: [stream] })
    if (!init.rids) watch(sound.sender, [])
  }
  tone() {
    const audio = new AudioContext()
    const oscillator = audio.createOscillator()
    const destination = audio.createMediaStreamDestination()
    oscillator.connect(destination)
    oscillator.start()
    this.audio = audio
    return destination.stream.getAudioTracks()[0]
  }
  draw({ width, height }) {
    const { context } = this
    const [number, clock] = [this.drawn++, now()]
    context.fillStyle = 'hsl(' + (number * 3) % 360 + ' 60% 40%)'
    context.fillRect(0, 0, width, height)
    squares((bit, x, y) => {
      const value = bit < ${NUMBER_BITS} ? bitOf(number, bit)
        : bit < ${NUMBER_BITS + CLOCK_BITS} ? bitOf(clock, bit - ${NUMBER_BITS})
        : bitOf(sumOf(number, clock), bit - ${NUMBER_BITS + CLOCK_BITS})
      context.fillStyle = value ? 'white' : 'black'
      context.fillRect(x, y, SIZE, SIZE)
      context.fillStyle = value ? 'black' : 'white'
      context.fillRect(x, y + SIZE, SIZE, SIZE)
    })
  }
  async start(url) {
    this.resource = await exchange(this.peer, url)
  }
  async stop() {
    clearInterval(this.timer)
    await fetch(this.resource, { method: 'DELETE' })
    this.peer.close()
  }
  async state() {
    const sent = [...(await this.peer.getStats()).values()].filter(({ type }) => type === 'outbound-rtp')
    const video = sent.filter(({ kind }) => kind === 'video')
    return {
      connection: this.peer.connectionState,
      drawn: this.drawn,
      framesEncoded: Math.max(0, ...video.map(({ framesEncoded = 0 }) => framesEncoded)),
      keyFramesEncoded: Math.max(0, ...video.map(({ keyFramesEncoded = 0 }) => keyFramesEncoded)),
      nackCount: video.reduce((sum, { nackCount = 0 }) => sum + nackCount, 0),
      pliCount: video.reduce((sum, { pliCount = 0 }) => sum + pliCount, 0),
      retransmittedPackets: video.reduce((sum, { retransmittedPacketsSent = 0 }) => sum + retransmittedPacketsSent, 0),
      encoder: video[0]?.encoderImplementation ?? '',
      sent: this.sent,
      errors,
    }
  }
}

class Playing {
  pictures = []
  received = []
  constructor() {
    this.peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', encodedInsertableStreams: true })
    for (const kind of ['video', 'audio']) {
      const { receiver } = this.peer.addTransceiver(kind, { direction: 'recvonly' })
      watch(receiver, kind === 'video' ? this.received : [])
    }
    this.video = document.createElement('video')
    this.video.muted = false
    this.video.autoplay = true
    document.body.append(this.video)
    const stream = new MediaStream()
    this.video.srcObject = stream
    this.peer.ontrack = ({ track }) => stream.addTrack(track)
    this.canvas = document.createElement('canvas')
    this.canvas.width = COLUMNS * SIZE
    this.canvas.height = Math.ceil(BITS / COLUMNS) * 2 * SIZE
    this.context = this.canvas.getContext('2d', { willReadFrequently: true })
    this.video.requestVideoFrameCallback((...args) => this.shown(...args))
  }
  async start(url) {
    this.resource = await exchange(this.peer, url)
  }
  shown(_, { presentedFrames, rtpTimestamp }) {
    const shownMs = now()
    this.context.drawImage(this.video, 0, 0)
    const { data, width } = this.context.getImageData(0, 0, this.canvas.width, this.canvas.height)
    const bright = (x, y) => data[((y + SIZE / 2) * width + x + SIZE / 2) * 4 + 1] > 127
    let [number, clock, sum, readable] = [0, 0, 0, true]
    squares((bit, x, y) => {
      const value = bright(x, y)
      if (value === bright(x, y + SIZE)) readable = false
      if (value && bit < ${NUMBER_BITS}) number += 2 ** bit
      else if (value && bit < ${NUMBER_BITS + CLOCK_BITS}) clock += 2 ** (bit - ${NUMBER_BITS})
      else if (value) sum += 2 ** (bit - ${NUMBER_BITS + CLOCK_BITS})
    })
    if (sum !== sumOf(number, clock)) readable = false
    this.pictures.push({
      presented: presentedFrames,
      rtpTimestamp,
      ...(readable && { number, delayMs: (shownMs - clock + CLOCK) % CLOCK }),
    })
    this.video.requestVideoFrameCallback((...args) => this.shown(...args))
  }
  async stop() {
    await fetch(this.resource, { method: 'DELETE' })
    this.peer.close()
  }
  async state() {
    const stats = [...(await this.peer.getStats()).values()]
    const received = (kind) => stats.find((each) => each.type === 'inbound-rtp' && each.kind === kind) ?? {}
    const [video, audio] = [received('video'), received('audio')]
    const codec = (id) => stats.find((each) => each.id === id)?.mimeType ?? ''
    // One that waits for the answer to a check is not said to have succeeded meanwhile.
    const selected = stats.find(({ type }) => type === 'transport')?.selectedCandidatePairId
    const pair = stats.find(({ id }) => id === selected)
    return {
      connection: this.peer.connectionState,
      size: this.video.videoWidth + 'x' + this.video.videoHeight,
      videoCodec: codec(video.codecId),
      audioCodec: codec(audio.codecId),
      transport: stats.find(({ id }) => id === pair?.localCandidateId)?.protocol ?? '',
      framesReceived: video.framesReceived ?? 0,
      framesDecoded: video.framesDecoded ?? 0,
      framesDropped: video.framesDropped ?? 0,
      keyFramesDecoded: video.keyFramesDecoded ?? 0,
      freezeCount: video.freezeCount ?? 0,
      packetsReceived: video.packetsReceived ?? 0,
      packetsLost: video.packetsLost ?? 0,
      retransmittedPackets: video.retransmittedPacketsReceived ?? 0,
      nackCount: video.nackCount ?? 0,
      pliCount: video.pliCount ?? 0,
      jitterBufferMs: video.jitterBufferEmittedCount ? (video.jitterBufferDelay / video.jitterBufferEmittedCount) * 1000 : 0,
      soundPackets: audio.packetsReceived ?? 0,
      soundEnergy: audio.totalAudioEnergy ?? 0,
      concealedSamples: audio.concealedSamples ?? 0,
      soundSamples: audio.totalSamplesReceived ?? 0,
      pictures: this.pictures,
      received: this.received,
      errors,
    }
  }
}
`
