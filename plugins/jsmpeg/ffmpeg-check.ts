import { ProgramMissing, runProgram, type PluginContext } from 'sluice/sdk'

/** The encoders of ffmpeg that JSMpeg needs. */
const ENCODERS = ['mpeg1video', 'mp2']
/** The most bytes of ffmpeg's list of encoders; no list is as long. */
const MAX_LIST_BYTES = 1024 * 1024

/**
 * Checks that ffmpeg is there and can encode for JSMpeg.
 * @throws {Error} with the missing part and the remedy
 */
export async function checkFfmpeg({ processes }: PluginContext<unknown>, command: string): Promise<void> {
  const remedy = "install ffmpeg, or name it in 'jsmpeg: ffmpegpath'"
  let list: string
  try {
    const args = ['-v', 'error', '-encoders']
    const { output } = await runProgram(processes, { command, args, owner: 'check', maxOutputBytes: MAX_LIST_BYTES })
    list = output.toString('latin1')
  } catch (error) {
    if (error instanceof ProgramMissing) throw new Error(`${error.message}: ${remedy}`, { cause: error })
    throw error
  }
  // A line is ` V.S... mpeg1video   MPEG-1 video`.
  const missing = ENCODERS.filter((name) => !new RegExp(String.raw`^ [VA]\S+ ${name} `, 'mu').test(list))
  if (missing.length > 0) throw new Error(`'${command}' has no encoder ${missing.join(' and ')}: ${remedy}`)
}
