import { writeFile } from 'node:fs/promises'
import { errorCode } from '../../error-text.ts'
import { CommandError, UsageError } from '../../command-error.ts'
import { inPath } from '../api-client.ts'
import type { Command, CommandContext } from '../command.ts'
import { noStream } from '../failures.ts'
import { bytesText } from '../quantities.ts'

const STANDARD_OUTPUT = '-'

/** The commands for pictures of streams (api.md 8.7). */
export const PICTURE_COMMANDS: readonly Command[] = [
  {
    name: 'snap',
    args: ['PATH', '[FILE]'],
    summary: 'a picture of a stream, as JPEG',
    details:
      'FILE - is standard output. Without FILE, the picture goes there, or at a terminal to a file named after the stream.',
    options: { watermark: { summary: 'a text to write into the picture', value: 'TEXT' } },
    run: takePicture,
  },
]

async function takePicture({ api, args: [path = '', given], options, output }: CommandContext): Promise<void> {
  const file = given ?? (output.isTerminal ? `${path.replaceAll('/', '_')}.jpg` : STANDARD_OUTPUT)
  if (file === STANDARD_OUTPUT && output.isTerminal) {
    throw new UsageError('a picture is nothing for a terminal: name a file, or have another program read it')
  }
  const { watermark } = options
  const query = typeof watermark === 'string' ? `?${new URLSearchParams({ watermark }).toString()}` : ''
  const picture = await api.getBytes(`/snap/${inPath(path)}${query}`, noStream(path))
  if (file === STANDARD_OUTPUT) {
    output.raw(picture)
    return
  }
  try {
    await writeFile(file, picture)
  } catch (error) {
    throw new CommandError(`${file} can't be written (${errorCode(error)})`, { cause: error })
  }
  output.done(`Wrote ${file} (${bytesText(picture.length)})`, { file, size: picture.length })
}
