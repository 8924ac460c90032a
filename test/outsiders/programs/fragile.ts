import { checkStreamPath, type ModulePort } from 'sluice/sdk'

/** Reports that it is ready, and dies of any stream path that contains `crash`. */
export default function fragile({ send, onMessage }: ModulePort): void {
  send('ready')
  onMessage((message) => {
    const { path } = message as { readonly path: string }
    if (checkStreamPath(path).includes('crash')) process.kill(process.pid, 'SIGKILL')
  })
}
