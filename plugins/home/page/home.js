/* global document, fetch, location, setTimeout, window */

import { addressOf, fragmentOf, labelOf, parseTarget, shellWord, targetInFragment, textOf } from './addresses.js'
import { copyButton } from './copy.js'
import { noticeOf } from './notices.js'
import { Player, waysOf, whepAddress } from './player.js'
import { StreamList } from './stream-list.js'
import { isRtmp, playGroups, publishGroups } from './uses.js'

const RETRY_MS = 3000
/** How often it is asked whether the stream that the page begins with is there. */
const FIRST_STREAM_MS = 10_000
const EXAMPLE = { streamPath: 'live/test', query: '' }

/** What the server says of itself: see plugins/home/visitor-view.ts. */
let server = { administration: false, console: '', playNeedsKey: false, streamPath: '', publish: [], play: [] }
/** The stream that the page's address names, or the one to begin with. */
let target = targetInFragment(location.hash)

/** What the player said last of its state. */
let playerState = { state: '', detail: undefined }

const video = element('video')
const lowDelay = element('low-delay')
const player = new Player(video, showState)
const list = new StreamList(element('streams'), {
  onChoice: (streamPath) => choose({ streamPath, query: '' }),
  onStreams: showList,
  onRefused: explainLogin,
})

function element(id) {
  return document.getElementById(id)
}

/** A status is read aloud when it changes, so it is left alone when it does not. */
function say(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text
}

// What is played

/** Plays a stream, and names it in the page's address. */
function choose(wanted) {
  const before = location.hash
  location.hash = fragmentOf(wanted)
  if (location.hash === before) play(wanted)
}

function play(wanted) {
  target = wanted
  element('playing').textContent = target.streamPath
  element('target').value = textOf(target)
  list.choose(target.streamPath)
  showPlayAddresses()
  player.play(waysOf(server.play, video, lowDelay.checked).map(({ kind, shown }) => ({ kind, url: urlOf(shown) })))
}

function urlOf(shown) {
  return addressOf(shown, target, document.baseURI)
}

function showState(state, detail) {
  playerState = { state, detail }
  const name = target.streamPath
  notify(...noticeOf(state, { name, detail, isPublished: list.has(name) }))
}

function notify(title, text = '', command = '') {
  const notice = element('notice')
  const parts = [
    ['strong', title],
    ['span', text],
    ['code', command],
  ].filter(([, content]) => content)
  notice.hidden = parts.length === 0
  video.controls = notice.hidden
  // Read aloud when it changes only.
  const shown = parts.map(([, content]) => content).join('\n')
  if (notice.dataset.shown === shown) return
  notice.dataset.shown = shown
  notice.replaceChildren(...parts.map(([name, content]) => textElement(name, content)))
}

// Streams

function explainLogin() {
  say('list-status', 'Those who have logged in to the administration see them. Name the stream to play.')
  if (target.streamPath === '') waitForFirst()
}

function showList(streams) {
  if (streams === undefined) return say('list-status', 'The server does not answer.')
  say('list-status', streams.length === 0 ? 'None at present. Publish one, and it appears here.' : '')
  if (target.streamPath !== '') {
    // The list may say now whether the stream is there that is waited for.
    if (playerState.state === 'waiting') showState(playerState.state, playerState.detail)
    return
  }
  const [first] = streams
  if (first === undefined)
    notify('Nothing is published here yet', 'Publish one, for example with ffmpeg:', exampleCommand())
  else if (server.playNeedsKey) askWhich()
  else play({ streamPath: first.path, query: '' })
}

function askWhich() {
  if (server.playNeedsKey) notify('Which stream?', 'Name one below, with the query that has its key.')
  else notify('Which stream?', 'Name one below, or publish one, for example with ffmpeg:', exampleCommand())
}

// Addresses

/** Publishes a test picture and a tone; empty where nothing takes RTMP. */
function exampleCommand() {
  const shown = server.publish.find(({ scheme }) => isRtmp(scheme))
  if (shown === undefined) return ''
  const address = shellWord(addressOf(shown, EXAMPLE, document.baseURI))
  return (
    'ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=25 -f lavfi -i sine -c:v libx264 -preset veryfast ' +
    `-tune zerolatency -pix_fmt yuv420p -g 50 -c:a aac -f flv ${address}`
  )
}

function showPublishAddresses() {
  showGroups('publish-addresses', publishGroups(server.publish), (addresses) => {
    const rtmp = addresses.filter(({ scheme }) => isRtmp(scheme))
    return rtmp.length > 0 ? rtmpRows(rtmp) : rowsOf(addresses, EXAMPLE)
  })
}

/** OBS asks for the address in two parts. */
function rtmpRows(addresses) {
  const servers = addresses.map((shown) => {
    const address = addressOf(shown, EXAMPLE, document.baseURI)
    return [
      `OBS Studio, ${labelOf(shown)}: Settings, Stream, Service “Custom”, Server`,
      address.slice(0, address.lastIndexOf('/')),
    ]
  })
  return [
    ...servers,
    ['OBS Studio: Stream Key', EXAMPLE.streamPath.split('/').at(-1)],
    ['ffmpeg, with a test picture and a tone', exampleCommand()],
  ]
}

function showPlayAddresses() {
  const groups = target.streamPath === '' ? [] : playGroups(server.play)
  showGroups('play-addresses', groups, (addresses) => rowsOf(addresses, target))
  say('play-status', groups.length === 0 ? 'Choose a stream, and its addresses are here.' : '')
}

function rowsOf(addresses, stream) {
  return addresses.map((shown) => [labelOf(shown), addressOf(shown, stream, document.baseURI)])
}

function showGroups(id, groups, rowsFor) {
  const parts = groups.flatMap(({ use, hint, addresses, testPage }) => [
    textElement('h3', use),
    ...(hint === '' && testPage === undefined ? [] : [hintElement(hint, testPage)]),
    listOf(rowsFor(addresses)),
  ])
  element(id).replaceChildren(...parts)
}

/** `testPage` is the relative address of the page that plays and publishes by WebRTC, or undefined. */
function hintElement(hint, testPage) {
  const paragraph = textElement('p', testPage === undefined || hint === '' ? hint : `${hint} `)
  if (testPage === undefined) return paragraph
  const link = textElement('a', 'Try it on the test page')
  link.href = testPage
  paragraph.append(link)
  return paragraph
}

function listOf(rows) {
  const announce = (text) => say('announcement', text)
  const list = document.createElement('dl')
  for (const [label, text] of rows) {
    const code = textElement('code', text)
    const value = document.createElement('dd')
    value.append(code, copyButton(code, label, announce))
    list.append(textElement('dt', label), value)
  }
  return list
}

function textElement(name, text) {
  const child = document.createElement(name)
  child.textContent = text
  return child
}

// Start

async function start() {
  try {
    server = await askServer()
  } catch {
    notify('The server does not answer', 'It is asked again …')
    setTimeout(() => void start(), RETRY_MS)
    return
  }
  showAdministration()
  showPublishAddresses()
  showPlayAddresses()
  element('delay').hidden = whepAddress(server.play) === undefined
  if (target.streamPath !== '') play(target)
  else if (server.streamPath !== '') play({ streamPath: server.streamPath, query: '' })
  else if (!server.administration) waitForFirst()
  if (server.administration) void list.follow()
  else say('list-status', 'Only administrators on the server’s machine see them. Name the stream to play.')
}

function showAdministration() {
  const link = element('administration')
  link.hidden = server.console === ''
  link.href = server.console
}

async function askServer() {
  return (await fetch('home/addresses')).json()
}

/** Those who may not see the list see the stream that the page begins with, as soon as it is there. */
function waitForFirst() {
  askWhich()
  setTimeout(async () => {
    const { streamPath } = await askServer().catch(() => server)
    if (target.streamPath !== '') return
    if (streamPath === '') waitForFirst()
    else play({ streamPath, query: '' })
  }, FIRST_STREAM_MS)
}

element('choice').addEventListener('submit', (event) => {
  event.preventDefault()
  const wanted = parseTarget(element('target').value)
  if (wanted.streamPath === '') return element('target').focus()
  choose(wanted)
})
lowDelay.addEventListener('change', () => target.streamPath !== '' && play(target))
window.addEventListener('hashchange', () => {
  const wanted = targetInFragment(location.hash)
  if (wanted.streamPath !== '') play(wanted)
})
void start()
