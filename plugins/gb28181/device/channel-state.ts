import { FrontEnd } from './manscdp/front-end.ts'

/** What controls have made of a channel. */
export class ChannelState {
  readonly frontEnd: FrontEnd
  isRecording = false
  isGuarded = false
  /** Fields of the last `HomePosition`. */
  home = { isEnabled: false, resetSeconds: 0, preset: 0 }
  /** The fields of the last `DragZoomIn` or `DragZoomOut`. */
  dragZoom: { readonly direction: 'in' | 'out'; readonly fields: Readonly<Record<string, string>> } | undefined
  /** How often a keyframe was asked for. */
  keyframeRequests = 0

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.frontEnd = new FrontEnd(now)
  }
}
