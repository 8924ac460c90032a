import mpegts from 'mpegts.js'
import { failureOfStatus, type Failure } from './engine.ts'

// The declarations of mpegts.js have these as types alone.
const STATUS = { connecting: 1, buffering: 2, error: 3, complete: 4 } as const

type LoaderReport = {
  readonly onBytes: (count: number) => void
  readonly onFailure: (failure: Failure) => void
}

/**
 * Makes the class by which mpegts.js loads FLV: by WebSocket, as a wall has more players than a browser has connections to one
 * server (six, by HTTP/1.1), and by HTTP where no WebSocket gets through. An HTTP answer also tells why a stream is refused.
 */
export function flvLoader({ onBytes, onFailure }: LoaderReport): mpegts.CustomLoaderConstructor {
  return class extends mpegts.BaseLoader {
    #socket: WebSocket | undefined
    #abort: AbortController | undefined
    #receivedBytes = 0

    constructor() {
      super('flv-loader')
      this._needStash = true
    }

    override open({ url }: mpegts.MediaSegment): void {
      this._status = STATUS.connecting
      const socket = new WebSocket(url.replace(/^http/u, 'ws'))
      socket.binaryType = 'arraybuffer'
      this.#socket = socket
      socket.addEventListener('message', ({ data }) => {
        if (this.#socket === socket && data instanceof ArrayBuffer) this.#take(data)
      })
      // It is closed after an error, too.
      socket.addEventListener('close', () => {
        if (this.#socket !== socket) return
        this.#socket = undefined
        if (this.#receivedBytes > 0) this.#end()
        else void this.#openByHttp(url)
      })
    }

    override abort(): void {
      const socket = this.#socket
      this.#socket = undefined
      this._status = STATUS.complete
      socket?.close()
      this.#abort?.abort()
    }

    override destroy(): void {
      this.abort()
      super.destroy()
    }

    async #openByHttp(url: string): Promise<void> {
      const abort = new AbortController()
      this.#abort = abort
      try {
        const answer = await fetch(url, { signal: abort.signal })
        if (!answer.ok || answer.body === null) {
          return onFailure(failureOfStatus(answer.status, await answer.text()))
        }
        const reader = answer.body.getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (abort.signal.aborted) return
          if (done) return this.#end()
          this.#take(value.slice().buffer)
        }
      } catch (error) {
        if (abort.signal.aborted) return
        this._status = STATUS.error
        onFailure({ kind: this.#receivedBytes > 0 ? 'ended' : 'unreachable', message: (error as Error).message })
      }
    }

    #take(bytes: ArrayBuffer): void {
      this._status = STATUS.buffering
      const start = this.#receivedBytes
      this.#receivedBytes += bytes.byteLength
      onBytes(bytes.byteLength)
      this.onDataArrival(bytes, start, this.#receivedBytes)
    }

    #end(): void {
      this._status = STATUS.complete
      onFailure({ kind: 'ended', message: '' })
    }
  }
}
