import type { ModulePort } from 'sluice/sdk'

/** Tells how many primes there are below a number. */
export default function primes({ data, send }: ModulePort): void {
  const { below } = data as { readonly below: number }
  const composite = new Uint8Array(below)
  let count = 0
  for (let number = 2; number < below; number++) {
    if (composite[number] === 1) continue
    count += 1
    for (let multiple = number * number; multiple < below; multiple += number) composite[multiple] = 1
  }
  send(count)
}
