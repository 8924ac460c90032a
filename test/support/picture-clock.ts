import type { PublishInit } from '../peers/ffmpeg.ts'

/** Bits of a picture's number that are drawn at its top, the lowest on the left. */
const BITS = 12
const BIT_WIDTH = 24
const BAND_HEIGHT = 48

const BAND = `drawbox=x=0:y=0:w=${BITS * BIT_WIDTH}:h=${BAND_HEIGHT}:color=black:t=fill`
const BARS = Array.from(
  { length: BITS },
  (_, bit) =>
    `drawbox=x=${bit * BIT_WIDTH}:y=0:w=${BIT_WIDTH}:h=${BAND_HEIGHT}:color=white:t=fill:enable='gt(bitand(n,${2 ** bit}),0)'`,
)

/** A test source of 320x240 whose pictures carry their number, for {@link READ_PICTURE_NUMBER}. */
export function numberedPictures(init: Omit<PublishInit, 'url'> = {}): Omit<PublishInit, 'url'> {
  return { ...init, output: ['-vf', [BAND, ...BARS].join(','), ...(init.output ?? [])] }
}

/** A script that reads the number of the picture that a page's `video` shows. */
export const READ_PICTURE_NUMBER = `(() => {
  const canvas = document.createElement('canvas')
  canvas.width = ${BITS * BIT_WIDTH}
  canvas.height = 1
  const context = canvas.getContext('2d')
  context.drawImage(video, 0, -${BAND_HEIGHT / 2})
  const { data } = context.getImageData(0, 0, canvas.width, 1)
  let number = 0
  for (let bit = 0; bit < ${BITS}; bit++) {
    if (data[(bit * ${BIT_WIDTH} + ${BIT_WIDTH / 2}) * 4] > 128) number += 2 ** bit
  }
  return number
})()`
