/** The part of the package that runs ffmpeg; it comes without types. */
declare module 'node-rtsp-stream/mpeg1muxer.js' {
  import type { ChildProcess } from 'node:child_process'
  import type { EventEmitter } from 'node:events'

  type Mpeg1MuxerOptions = {
    /** The input of ffmpeg, its `-i`. */
    readonly url: string
    readonly ffmpegPath: string
    /** Options of ffmpeg's output, in order; those with an empty value have none. */
    readonly ffmpegOptions: Readonly<Record<string, string>>
  }

  /** Starts ffmpeg. Emits its output as `mpeg1data`, and its stderr as `ffmpegStderr`, each a Buffer. */
  export default class Mpeg1Muxer extends EventEmitter {
    constructor(options: Mpeg1MuxerOptions)
    readonly stream: ChildProcess
  }
}
