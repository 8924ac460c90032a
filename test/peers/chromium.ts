import { chromium, type Browser } from 'playwright-core'
import { keep } from './lifetime.ts'
import { findProgram } from './peers.ts'

/** Chromium as a program without windows: the same engine at less than half the processor time of the browser's `--headless`. */
export const CHROMIUM = 'chromium-headless-shell'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
]

/**
 * Starts a Chromium; it ends with the test that started it, at the latest.
 * @param executablePath a program that starts it, by default its own
 */
export async function openChromium(
  extraArgs: readonly string[] = [],
  executablePath = findProgram(CHROMIUM),
): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`${CHROMIUM} is not installed`)
  const browser = await chromium.launch({ executablePath, args: [...ARGS, ...extraArgs] })
  const letGo = keep(browser)
  browser.on('disconnected', letGo)
  return browser
}
