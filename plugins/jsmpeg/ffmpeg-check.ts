import { ProgramMissing, type PluginContext } from 'sluice/sdk'

/** The encoders that are needed. */
const ENCODERS = ['mpeg1video', 'mp2']
/** Longer than any list of encoders. */
const MAX_LIST_LENGTH = 1024 * 1024

/**
 * Makes sure that there is an ffmpeg which can encode for JSMpeg.
 * @throws {Error} what is missing, and what to do
 */
export async function checkFfmpeg({ processes }: PluginContext<unknown>, command: string): Promise<void> {
  const remedy = "install ffmpeg, or name it in 'jsmpeg: ffmpegpath'"
  let list: string
  try {
    const program = await processes.spawn({ command, args: ['-v', 'error', '-encoders'], owner: 'check' })
    list = await textOf(program.stdout)
  } catch (error) {
    if (error instanceof ProgramMissing) throw new Error(`${error.message}: ${remedy}`, { cause: error })
    throw error
  }
  // A line is ` V.S... mpeg1video   MPEG-1 video`.
  const missing = ENCODERS.filter((name) => !new RegExp(String.raw`^ [VA]\S+ ${name} `, 'mu').test(list))
  if (missing.length > 0) throw new Error(`'${command}' has no encoder ${missing.join(' and ')}: ${remedy}`)
}

async function textOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const bytes of output) if (text.length < MAX_LIST_LENGTH) text += bytes.toString('latin1')
  return text
}
