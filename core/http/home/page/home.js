/* global document, fetch, location, navigator, window, mpegts */

const DEMO = 'live/demo'
const REFRESH_MS = 3000
const RETRY_MS = 2000
const FALLBACK_RTMP = 'rtmp://{hostName}/{streamPath}'

const state = {
  /** The stream that was chosen: by the address, a click, or as the first one there is. */
  path: pathInAddress(),
  player: undefined,
  retry: undefined,
  rtmp: FALLBACK_RTMP,
}

function element(id) {
  return document.getElementById(id)
}

/** A status is read aloud when it changes, so it is left alone when it does not. */
function say(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text
}

// Player

function play(path) {
  state.path = path
  element('playing').textContent = path
  for (const button of element('streams').querySelectorAll('button')) markCurrent(button)
  showPlayAddresses()
  open()
}

function open() {
  shut()
  if (!window.mpegts?.isSupported()) {
    say('status', 'This browser has no Media Source Extensions; play one of the addresses below in a player.')
    return
  }
  say('status', 'Connecting …')
  const player = mpegts.createPlayer(
    { type: 'flv', isLive: true, url: flvAddress('ws') },
    { liveSync: true, liveSyncMaxLatency: 2, liveSyncTargetLatency: 0.8 },
  )
  state.player = player
  player.on(mpegts.Events.ERROR, (_kind, detail) => reopen(`Not playing (${detail}); trying again …`))
  player.on(mpegts.Events.LOADING_COMPLETE, () => reopen('The stream has ended; waiting for it to come back …'))
  player.attachMediaElement(element('video'))
  player.load()
  // Refused without a click when the viewer has turned the sound on; the controls are there for that.
  player.play()?.catch(() => {})
}

function shut() {
  clearTimeout(state.retry)
  const { player } = state
  state.player = undefined
  player?.destroy()
}

function reopen(why) {
  say('status', why)
  clearTimeout(state.retry)
  state.retry = setTimeout(open, RETRY_MS)
}

// Addresses

function encodePath(path) {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The stream that this page's own address names; empty when it names none. */
function pathInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

function flvAddress(scheme) {
  const secure = location.protocol === 'https:' ? 's' : ''
  return `${scheme}${secure}://${location.host}/flv/${encodePath(state.path)}.flv`
}

function rtmpAddress(path) {
  return state.rtmp.replace('{hostName}', location.hostname).replace('{streamPath}', path)
}

function showPlayAddresses() {
  element('play-http').textContent = flvAddress('http')
  element('play-ws').textContent = flvAddress('ws')
  element('play-rtmp').textContent = rtmpAddress(state.path)
}

function showPublishAddresses() {
  const address = rtmpAddress('live/test')
  element('obs-server').textContent = address.slice(0, address.lastIndexOf('/'))
  element('ffmpeg').textContent =
    'ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=25 -f lavfi -i sine -c:v libx264 -preset veryfast ' +
    `-tune zerolatency -pix_fmt yuv420p -g 50 -c:a aac -f flv ${address}`
}

async function copy(id) {
  const source = element(id)
  window.getSelection().selectAllChildren(source)
  try {
    // Only there over HTTPS or on localhost; otherwise what is selected can be copied by hand.
    await navigator.clipboard.writeText(source.textContent)
    element('copied').textContent = 'Copied'
    const button = document.querySelector(`[data-copies="${id}"]`)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), RETRY_MS)
  } catch {
    element('copied').textContent = 'Selected'
  }
}

// Streams

async function ask(path) {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(String(answer.status))
  const { data } = await answer.json()
  return data
}

async function refresh() {
  try {
    showStreams(await ask('/api/stream/list'))
  } catch (error) {
    element('streams').replaceChildren()
    const refused = error.message === '401'
    say('list-status', refused ? 'Only shown on the server’s own machine.' : 'The server does not answer.')
    if (state.path === '') play(DEMO)
  }
  setTimeout(refresh, REFRESH_MS)
}

function showStreams(streams) {
  say('list-status', streams.length === 0 ? 'None at present. Publish one, it appears here.' : '')
  const list = element('streams')
  const focused = document.activeElement?.dataset?.path
  list.replaceChildren(...streams.map(streamItem))
  // The list is made anew; whoever goes through it by keyboard stays where they were.
  if (focused !== undefined) list.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus()
  const first = streams.find(({ path }) => path === DEMO) ?? streams[0]
  if (state.path === '' && first !== undefined) play(first.path)
}

function streamItem(stream) {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.path = stream.path
  markCurrent(button)
  button.append(textElement('strong', stream.path), textElement('small', describe(stream)))
  button.addEventListener('click', () => (location.hash = encodePath(stream.path)))
  const item = document.createElement('li')
  item.append(button)
  return item
}

function markCurrent(button) {
  button.setAttribute('aria-current', String(button.dataset.path === state.path))
}

function describe({ videoTrack: video, audioTrack: audio, subscribers }) {
  const size = video !== null && video.width > 0 ? ` ${video.width}×${video.height}` : ''
  const viewers = subscribers === 1 ? '1 viewer' : `${subscribers} viewers`
  const tracks = [video && `${video.codec}${size}`, audio?.codec].filter(Boolean)
  return [...tracks, viewers].join(' · ')
}

function textElement(name, text) {
  const child = document.createElement(name)
  child.textContent = text
  return child
}

async function learnRtmpAddress() {
  try {
    const { plugins } = await ask('/api/sysinfo')
    state.rtmp = plugins.find(({ name }) => name === 'rtmp')?.pushAddr[0] ?? FALLBACK_RTMP
  } catch {
    // Not told to everybody; the address without a port is right for most servers.
  }
  showPublishAddresses()
  if (state.path !== '') showPlayAddresses()
}

element('video').addEventListener('playing', () => say('status', ''))
for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', () => void copy(button.dataset.copies))
}
window.addEventListener('hashchange', () => {
  const path = pathInAddress()
  if (path !== '' && path !== state.path) play(path)
})
if (state.path !== '') play(state.path)
void learnRtmpAddress()
void refresh()
