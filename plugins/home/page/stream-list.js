/* global CSS, document, fetch, setTimeout */

const REFRESH_MS = 3000

/** The list of running streams, asked for again and again. */
export class StreamList {
  #list
  #onChoice
  #onStreams
  #onRefused
  #chosen = ''
  /** The paths of the list; undefined while nobody has told them. */
  #paths

  /**
   * @param onStreams is called with the streams, or with undefined where the server does not answer
   * @param onRefused is called where the list is for those who have logged in
   */
  constructor(list, { onChoice, onStreams, onRefused }) {
    this.#list = list
    this.#onChoice = onChoice
    this.#onStreams = onStreams
    this.#onRefused = onRefused
  }

  /** Asks for the list, from now on; no more where it is refused. */
  async follow() {
    const { status, streams } = await ask()
    this.#paths = streams && new Set(streams.map(({ path }) => path))
    this.#show(streams ?? [])
    if (status === 401 || status === 403) this.#onRefused()
    else this.#onStreams(streams)
    if (status < 400 || status >= 500) setTimeout(() => void this.follow(), REFRESH_MS)
  }

  /** Whether a stream is running; undefined where that is not known. */
  has(streamPath) {
    return this.#paths?.has(streamPath)
  }

  choose(streamPath) {
    this.#chosen = streamPath
    for (const button of this.#list.querySelectorAll('button')) this.#mark(button)
  }

  #show(streams) {
    const focused = document.activeElement?.dataset?.path
    this.#list.replaceChildren(...streams.map((stream) => this.#item(stream)))
    // The list is made anew; whoever goes through it by keyboard stays where they were.
    if (focused !== undefined) this.#list.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus()
  }

  #item(stream) {
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.path = stream.path
    this.#mark(button)
    button.append(textElement('strong', stream.path), textElement('small', describe(stream)))
    button.addEventListener('click', () => this.#onChoice(stream.path))
    const item = document.createElement('li')
    item.append(button)
    return item
  }

  #mark(button) {
    button.setAttribute('aria-current', String(button.dataset.path === this.#chosen))
  }
}

/** The status of the answer, 0 for none, and the streams where it has them. */
async function ask() {
  try {
    const answer = await fetch('api/stream/list')
    return { status: answer.status, streams: answer.ok ? (await answer.json()).data : undefined }
  } catch {
    return { status: 0, streams: undefined }
  }
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
