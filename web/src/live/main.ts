// SPDX-License-Identifier: MIT
// The second script of the page, which only fathom serve sends.
import { LivePage } from "./page";

new LivePage().charts.ready();
