// A comparison as a page: table, verdicts, charts and pictures in one file.
#include "demos/program/compare/compare.h"
#include "demos/program/compare/html.h"
#include "demos/program/compare/report.h"
#include "demos/program/render/render_scene.h"
#include "demos/program/session/machine.h"
#include <inttypes.h>

static void picture_path(char *path, size_t size, const char *folder, int index, int frame) {
    snprintf(path, size, "%.700s/frame-%d-%d.png", folder, index + 1, frame);
}

CairnStatus cairn_comparison_picture(const CairnSession *session, int index, const char *folder, int frame,
                                     bool is_certified) {
    const CairnAuditReport *audited = cairn_session_audited(session);
    bool is_sound = !audited || audited->is_sound;
    char verdict[80], caption[160], path[CAIRN_RUN_PATH];
    snprintf(caption, sizeof caption, "frame %d   t = %.2f s", frame, cairn_world_time(session->world));
    CairnPicture picture = {.width = 640,
                            .height = 400,
                            .camera = session->scene->camera,
                            .caption = caption,
                            .verdict = verdict,
                            .is_good = is_certified && is_sound};
    snprintf(verdict, sizeof verdict, "%s%s", is_certified ? "certified" : "NOT certified",
             !audited   ? ""
             : is_sound ? ", sound"
                        : ", NOT sound");
    CairnImage image;
    CAIRN_TRY(cairn_picture_draw(session->world, &picture, &image));
    picture_path(path, sizeof path, folder, index, frame);
    CairnStatus status = cairn_image_write_png(&image, path);
    cairn_image_free(&image);
    return status;
}

static void write_setup(FILE *file, const CairnComparison *comparison) {
    const CairnContender *reference = &comparison->contenders[comparison->reference];
    const CairnSession *session = cairn_comparison_session(comparison, comparison->reference);
    const CairnTally *tally = &reference->tally;
    CairnWorldDef world = cairn_world_settings(session->world);
    char machine[128];
    cairn_machine_name(machine, sizeof machine);
    fputs("<h1>", file);
    cairn_html_text(file, session->scene->name);
    fputs("</h1>\n<p class=\"soft\">", file);
    cairn_html_text(file, session->scene->summary);
    fprintf(file, "</p>\n<p>%s<br>Reference <b>",
            comparison->is_free ? "Free: each solver drives its own world."
                                : "Lockstep: every solver gets the problems of the motion that the reference drives.");
    cairn_html_text(file, reference->choice.text);
    fprintf(file,
            "</b>; %d steps of %.6g s, partition %s, refine %s, friction %s%s, threads %d, seed %" PRIu64 ".<br>\n",
            session->steps, session->dt, session->partitioner->name, session->refiner->name,
            cairn_friction_name(world.friction), cairn_comparison_law_words(comparison), world.thread_count,
            session->run.seed);
    fprintf(file, "%d bodies, %d joints, %d dofs; contacts %.1f (most %.0f), rows %.1f (most %.0f).<br>On ",
            tally->bodies, tally->joints, tally->dofs, cairn_tally_mean(tally, tally->contacts), tally->contacts.max,
            cairn_tally_mean(tally, tally->rows), tally->rows.max);
    cairn_html_text(file, machine);
    fputs(".</p>\n", file);
}

static void write_sound(FILE *file, const CairnTally *tally) {
    if (tally->audited == 0) {
        fputs("<td>-</td>", file);
        return;
    }
    fprintf(file, "<td class=\"%s\">%.2f %%</td>", tally->sound == tally->audited ? "good" : "bad",
            100.0 * tally->sound / tally->audited);
}

static CairnStatus write_row(FILE *file, const CairnComparison *comparison, int index) {
    const CairnContender *contender = &comparison->contenders[index];
    const CairnTally *tally = &contender->tally;
    fprintf(file, "<tr><td><span style=\"color:%s\">&#9632;</span> ", cairn_html_color(index));
    cairn_html_text(file, contender->choice.text);
    fputs("</td>", file);
    if (tally->frames == 0) {
        fprintf(file, "<td colspan=\"11\" class=\"bad\">%s</td></tr>\n",
                contender->ended.code == CAIRN_UNSUPPORTED ? "refused" : "failed");
        return cairn_ok();
    }
    CairnSpread solve;
    CAIRN_TRY(cairn_tally_spread(tally, CAIRN_STAGE_SOLVE, &solve));
    fprintf(file, "<td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.1f</td><td>%.1f</td><td>%.2g</td><td>%.2g</td>",
            solve.mean, solve.p50, solve.p99, cairn_tally_mean(tally, tally->iterations),
            cairn_tally_mean(tally, tally->factorizations), cairn_tally_mean(tally, tally->natural), tally->scaled.max);
    fprintf(file, "<td class=\"%s\">%.2f %%</td>", tally->certified == tally->frames ? "good" : "bad",
            100.0 * tally->certified / tally->frames);
    write_sound(file, tally);
    if (comparison->is_free) {
        fprintf(file, "<td>%.2g</td><td>%.2g</td></tr>\n", tally->penetration.max, tally->joint_linear.max);
    } else {
        fprintf(file, "<td>%.2g</td><td>%.2g</td></tr>\n", contender->difference.max, contender->worst_ratio);
    }
    return cairn_ok();
}

static CairnStatus write_table(FILE *file, const CairnComparison *comparison) {
    fputs("<h2>Solvers</h2>\n<div class=\"scroll\"><table>\n<tr><th>solver</th><th>solve mean, ms</th><th>p50</th>"
          "<th>p99</th><th>iterations</th><th>factorizations</th><th>natural, mean</th><th>scaled max, m/s</th>"
          "<th>certified</th><th>sound</th>",
          file);
    fputs(comparison->is_free ? "<th>penetration, m</th><th>joint error, m</th></tr>\n"
                              : "<th>velocity off, m/s</th><th>off / limit</th></tr>\n",
          file);
    for (int i = 0; i < comparison->count; i++) {
        CAIRN_TRY(write_row(file, comparison, i));
    }
    fputs("</table></div>\n", file);
    return cairn_ok();
}

static void write_words(FILE *file, const CairnComparison *comparison) {
    fputs("<ul>\n", file);
    for (int i = 0; i < comparison->count; i++) {
        const CairnContender *contender = &comparison->contenders[i];
        char verdict[320] = "";
        if (contender->tally.frames > 0) {
            cairn_tally_verdict(&contender->tally, verdict, sizeof verdict);
        }
        fputs("<li><b>", file);
        cairn_html_text(file, contender->choice.text);
        fprintf(file, "</b>: %s", verdict);
        if (contender->tally.fallbacks > 0) {
            fprintf(file, "; another method finished in %d", contender->tally.fallbacks);
        }
        if (!cairn_is_ok(contender->ended)) {
            fprintf(file, "; <span class=\"bad\">ended at frame %d: ", contender->ended_at);
            cairn_html_text(file, contender->ended.message);
            fputs("</span>", file);
        }
        if (!cairn_is_ok(contender->broken)) {
            fprintf(file, "; <span class=\"bad\">the scene's check broke at frame %d: ", contender->broken_at);
            cairn_html_text(file, contender->broken.message);
            fputs("</span>", file);
        }
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
    if (!comparison->is_free && !cairn_is_ok(comparison->broken)) {
        fprintf(file, "<p class=\"bad\">The scene's check broke at frame %d: ", comparison->broken_at);
        cairn_html_text(file, comparison->broken.message);
        fputs("</p>\n", file);
    }
}

static void write_chart(FILE *file, const CairnComparison *comparison, CairnSeriesKind kind, const char *title,
                        const char *unit, bool is_log) {
    CairnHtmlCurve curves[CAIRN_CHOICE_MOST + 1];
    int count = 0;
    for (int i = 0; i < comparison->count; i++) {
        const CairnContender *contender = &comparison->contenders[i];
        curves[count++] = (CairnHtmlCurve){.name = contender->choice.text,
                                           .values = cairn_series_of(&contender->series, kind),
                                           .count = contender->series.count};
    }
    if (kind == CAIRN_SERIES_SCALED) { // what must not be exceeded
        const CairnSeries *series = &comparison->contenders[comparison->reference].series;
        curves[count++] = (CairnHtmlCurve){.name = "certificate",
                                           .values = cairn_series_of(series, CAIRN_SERIES_LIMIT),
                                           .count = series->count,
                                           .is_limit = true};
    }
    cairn_html_chart(file, &(CairnHtmlChart){title, unit, is_log, curves, count});
}

static void write_charts(FILE *file, const CairnComparison *comparison) {
    fputs("<h2>Frame by frame</h2>\n", file);
    write_chart(file, comparison, CAIRN_SERIES_SOLVE, "Solve time", "ms", true);
    write_chart(file, comparison, CAIRN_SERIES_SCALED, "Residual, as the referee found it", "m/s", true);
    write_chart(file, comparison, CAIRN_SERIES_ITERATIONS, "Iterations", "", true);
    if (comparison->is_free) {
        write_chart(file, comparison, CAIRN_SERIES_AUDIT, "Audit: the worst value against its limit", "", true);
        write_chart(file, comparison, CAIRN_SERIES_PENETRATION, "Deepest overlap", "m", true);
        write_chart(file, comparison, CAIRN_SERIES_JOINT_ERROR, "Largest joint error", "m", true);
        write_chart(file, comparison, CAIRN_SERIES_ENERGY, "Energy", "J", false);
    } else {
        write_chart(file, comparison, CAIRN_SERIES_DIFFERENCE, "Velocities against the reference's", "m/s", true);
    }
}

static CairnStatus write_pictures(FILE *file, const CairnComparison *comparison, const char *folder) {
    fputs("<h2>Pictures</h2>\n", file);
    for (int i = 0; i < comparison->count; i++) {
        const CairnSession *session = cairn_comparison_session(comparison, i);
        if (!comparison->is_free && i != comparison->reference) {
            continue; // one motion for all
        }
        fputs("<div class=\"pictures\">\n", file);
        for (int k = 1; k <= CAIRN_COMPARE_PICTURES; k++) {
            int frame = (k * session->steps + CAIRN_COMPARE_PICTURES - 1) / CAIRN_COMPARE_PICTURES;
            char path[CAIRN_RUN_PATH], caption[200];
            if (frame > comparison->contenders[i].series.count) {
                continue; // it ended before
            }
            picture_path(path, sizeof path, folder, i, frame);
            snprintf(caption, sizeof caption, "%.100s, frame %d", comparison->contenders[i].choice.text, frame);
            CAIRN_TRY(cairn_html_picture(file, path, caption));
        }
        fputs("</div>\n", file);
    }
    return cairn_ok();
}

CairnStatus cairn_comparison_html(FILE *file, const CairnComparison *comparison, const char *folder,
                                  const char *command) {
    char title[200];
    snprintf(title, sizeof title, "%.80s: %d solvers", cairn_comparison_session(comparison, 0)->scene->name,
             comparison->count);
    cairn_html_open(file, title);
    write_setup(file, comparison);
    CAIRN_TRY(write_table(file, comparison));
    write_words(file, comparison);
    write_charts(file, comparison);
    CAIRN_TRY(write_pictures(file, comparison, folder));
    fputs("<h2>What the numbers depend on</h2>\n<pre>", file);
    cairn_report_settings(file, cairn_comparison_session(comparison, comparison->reference));
    fputs(
        "</pre>\n<p class=\"soft\">A frame is certified when its scaled residual, computed by a referee that shares no "
        "code with the solvers, is at most 1e-8 of the velocities in its component. It is sound when an audit of the "
        "motion itself finds nothing: momentum, energy and joints, in some frames overlaps and what was passed "
        "(docs/audit.md).</p>\n<h2>To get this page again</h2>\n<pre>",
        file);
    cairn_html_text(file, command);
    fputs("</pre>\n", file);
    cairn_html_close(file);
    return cairn_ok();
}
