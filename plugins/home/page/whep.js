/* global document, URL */

/**
 * Plays a stream by WHEP in a media element, with the client that the server's WebRTC plugin has. It calls `onRefused` with
 * the status and text of a refusal, 0 where the server does not answer, and `onEnded` when it is over.
 */
export class WhepEngine {
  #session
  #isDestroyed = false
  #video

  constructor(video) {
    this.#video = video
  }

  async open(url, { onRefused, onEnded }) {
    try {
      const { WebRtcSession } = await import(new URL('../webrtc/client.js', import.meta.url).href)
      if (this.#isDestroyed) return
      this.#session = new WebRtcSession(() => this.#isDestroyed || onEnded())
      await this.#session.play(new URL(url, document.baseURI).href, this.#video)
    } catch (error) {
      if (!this.#isDestroyed) onRefused(error.status ?? 0, error.message)
    }
  }

  destroy() {
    this.#isDestroyed = true
    this.#session?.close()
    this.#video.srcObject = null
  }
}
