#!/usr/bin/env node
// Node as the server runs on it, with the arguments of this program: for the scripts of this package and of plugins' projects,
// as some versions of npm leave out the link to it.
import { becomeNode } from './runtime.js'

becomeNode(process.argv.slice(2))
