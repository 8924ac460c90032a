import { FrontEnd } from './manscdp/front-end.ts'

/** The state of a channel, as controls have set it. */
export class ChannelState {
  readonly frontEnd: FrontEnd
  isRecording = false
  isGuarded = false
  /** Fields of the last `HomePosition`. */
  home = { isEnabled: false, resetSeconds: 0, preset: 0 }
  /** The fields of the last `DragZoomIn` or `DragZoomOut`. */
  dragZoom: { readonly direction: 'in' | 'out'; readonly fields: Readonly<Record<string, string>> } | undefined
  /** The number of requests for a keyframe. */
  keyframeRequests = 0

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.frontEnd = new FrontEnd(now)
  }
}
