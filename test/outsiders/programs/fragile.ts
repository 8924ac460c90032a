import { checkStreamPath, type ModulePort } from 'sluice/sdk'

/** Says that it is there, and dies of any stream whose path has `crash` in it. */
export default function fragile({ send, onMessage }: ModulePort): void {
  send('ready')
  onMessage((message) => {
    const { path } = message as { readonly path: string }
    if (checkStreamPath(path).includes('crash')) process.kill(process.pid, 'SIGKILL')
  })
}
