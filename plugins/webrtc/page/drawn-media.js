/* global clearInterval, document, setInterval */

/** Pictures with a clock and a moving bar, and a tone, for who has no camera at hand. */
export function drawnMedia({ width, height, picturesPerSecond, sound }) {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  let pictures = 0
  const draw = () => {
    const hue = (pictures * 2) % 360
    context.fillStyle = `hsl(${hue} 60% 25%)`
    context.fillRect(0, 0, width, height)
    context.fillStyle = `hsl(${(hue + 180) % 360} 80% 60%)`
    context.fillRect((pictures * 8) % width, 0, width / 20, height)
    context.fillStyle = '#fff'
    context.font = `${height / 6}px ui-monospace, monospace`
    context.textAlign = 'center'
    context.fillText(new Date().toISOString().slice(11, 23), width / 2, height / 2)
    context.fillText(String(pictures), width / 2, height * 0.75)
    pictures += 1
  }
  draw()
  // An interval goes on in a tab that is not seen, if slowly, where frames of animation do not.
  const timer = setInterval(draw, 1000 / picturesPerSecond)
  const media = canvas.captureStream(picturesPerSecond)
  const [picture] = media.getVideoTracks()
  const stop = picture.stop.bind(picture)
  picture.stop = () => {
    clearInterval(timer)
    void sound.close()
    stop()
  }
  media.addTrack(tone(sound))
  return media
}

function tone(sound) {
  const oscillator = sound.createOscillator()
  const volume = sound.createGain()
  const output = sound.createMediaStreamDestination()
  volume.gain.value = 0.2
  oscillator.connect(volume).connect(output)
  oscillator.start()
  return output.stream.getAudioTracks()[0]
}
