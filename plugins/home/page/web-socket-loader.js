/* global WebSocket, mpegts */

/**
 * Makes the class by which mpegts.js loads FLV by WebSocket. Its own throws at nobody when the player goes before the
 * connection is there, as when another stream is chosen.
 */
export function createWebSocketLoader() {
  const { kConnecting, kBuffering, kComplete, kError } = mpegts.LoaderStatus

  return class WebSocketLoader extends mpegts.BaseLoader {
    #socket
    #receivedBytes = 0

    constructor() {
      super('websocket-loader')
      this._needStash = true
    }

    open({ url }) {
      this._status = kConnecting
      const socket = new WebSocket(url)
      socket.binaryType = 'arraybuffer'
      this.#socket = socket
      const ifCurrent = (action) => (event) => this.#socket === socket && action(event)
      socket.addEventListener(
        'message',
        ifCurrent(({ data }) => this.#take(data)),
      )
      socket.addEventListener(
        'error',
        ifCurrent(() => this.#fail()),
      )
      socket.addEventListener(
        'close',
        ifCurrent(() => this.#end()),
      )
    }

    abort() {
      const socket = this.#socket
      this.#socket = undefined
      this._status = kComplete
      socket?.close()
    }

    destroy() {
      this.abort()
      super.destroy()
    }

    #take(bytes) {
      this._status = kBuffering
      const start = this.#receivedBytes
      this.#receivedBytes += bytes.byteLength
      this.onDataArrival(bytes, start, this.#receivedBytes)
    }

    #fail() {
      this.#socket = undefined
      this._status = kError
      this.onError(mpegts.LoaderErrors.EXCEPTION, { code: -1, msg: 'the WebSocket failed' })
    }

    #end() {
      this.#socket = undefined
      this._status = kComplete
      this.onComplete(0, this.#receivedBytes - 1)
    }
  }
}
