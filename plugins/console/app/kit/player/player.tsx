import type { PlayerProps } from 'sluice/sdk/console'

export default function Player({ streamPath }: PlayerProps) {
  return <div>{streamPath}</div>
}
