// SPDX-License-Identifier: MIT
// The second script of the page; only fathom serve sends it.
import { LivePage } from "./page";

new LivePage().charts.ready();
